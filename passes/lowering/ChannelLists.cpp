//===- ChannelLists.cpp - lists that move messages --------------*- C++ -*-===//

#include "passes/lowering/ChannelLists.h"

using namespace mlir;

namespace mpc {

using tfm::StateKind;

StringRef getChannel(tfm::BindingAttr binding) {
  return binding.getName().getValue().split('#').first;
}

static int64_t getNumber(tfm::BindingAttr binding) {
  int64_t number = 0;
  (void)binding.getName().getValue().split('#').second.getAsInteger(10, number);
  return number;
}

/// Calls `visit` with each binding of this kind among arguments or results.
static void visitBindings(func::FuncOp function, StateKind kind,
                          llvm::function_ref<void(tfm::BindingAttr)> visit) {
  bool isArgument = kind == StateKind::Incoming;
  unsigned count =
      isArgument ? function.getNumArguments() : function.getNumResults();
  for (unsigned index = 0; index != count; ++index) {
    tfm::BindingAttr binding = isArgument
                                   ? tfm::getArgBinding(function, index)
                                   : tfm::getResultBinding(function, index);
    if (binding && binding.getKind() == kind)
      visit(binding);
  }
}

void emitChannels(ArrayRef<func::FuncOp> functions, OpBuilder &builder) {
  struct Ends {
    int64_t source = 0, destination = 0;
  };
  llvm::MapVector<StringRef, Ends> channels;
  for (func::FuncOp function : functions) {
    int64_t stage = getStepPart(function).getStage();
    visitBindings(function, StateKind::Outgoing, [&](tfm::BindingAttr binding) {
      channels[getChannel(binding)].source = stage;
    });
    visitBindings(function, StateKind::Incoming, [&](tfm::BindingAttr binding) {
      channels[getChannel(binding)].destination = stage;
    });
  }
  for (auto [name, ends] : channels)
    exec::ChannelOp::create(builder, builder.getUnknownLoc(), name, ends.source,
                            ends.destination);
}

ChannelLists::ChannelLists(ArrayRef<func::FuncOp> functions) {
  auto add = [&](auto &messages, auto &channels, tfm::BindingAttr binding) {
    StringRef channel = getChannel(binding);
    if (!llvm::is_contained(messages[channel], binding))
      messages[channel].push_back(binding);
    if (!llvm::is_contained(channels, channel))
      channels.push_back(channel);
  };
  for (func::FuncOp function : functions) {
    visitBindings(function, StateKind::Incoming, [&](tfm::BindingAttr binding) {
      if (isFirstReader(function, binding, functions))
        add(incoming, received[function], binding);
    });
    visitBindings(function, StateKind::Outgoing, [&](tfm::BindingAttr binding) {
      add(outgoing, sent[function], binding);
    });
  }
  for (auto *messages : {&incoming, &outgoing})
    for (auto &[channel, bindings] : *messages)
      llvm::sort(bindings, [](tfm::BindingAttr a, tfm::BindingAttr b) {
        return getNumber(a) < getNumber(b);
      });
}

std::string ChannelLists::getListName(Kind kind, StringRef channel) {
  static constexpr StringLiteral kNames[] = {"post", "take", "send", "sent"};
  return (kNames[int(kind)] + "_" + channel).str();
}

void ChannelLists::emit(const StateTable &states, OpBuilder &builder) const {
  Location location = builder.getUnknownLoc();
  auto emitList = [&](Kind kind, StringRef channel,
                      ArrayRef<tfm::BindingAttr> messages) {
    auto list = exec::ListOp::create(
        builder, location, getListName(kind, channel),
        exec::ListPhase::Transfer, exec::Variant::Only);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(&list.getBody().emplaceBlock());
    auto symbol = FlatSymbolRefAttr::get(builder.getContext(), channel);
    StringAttr from = builder.getStringAttr(channel);
    for (tfm::BindingAttr message : messages) {
      exec::SliceAttr slice = states.getSlice(message);
      switch (kind) {
      case Kind::Post:
        exec::ReceiveStartOp::create(builder, location, symbol, slice, from);
        break;
      case Kind::Take:
        exec::ReceiveWaitOp::create(builder, location, symbol, from);
        break;
      case Kind::Send:
        exec::SendStartOp::create(builder, location, symbol, slice, from);
        break;
      case Kind::Sent:
        exec::SendWaitOp::create(builder, location, symbol, from);
        break;
      }
    }
  };
  for (const auto &[channel, messages] : incoming) {
    emitList(Kind::Post, channel, messages);
    emitList(Kind::Take, channel, messages);
  }
  for (const auto &[channel, messages] : outgoing) {
    emitList(Kind::Send, channel, messages);
    emitList(Kind::Sent, channel, messages);
  }
}

ArrayRef<StringRef> ChannelLists::getReceived(func::FuncOp function) const {
  auto it = received.find(function);
  return it == received.end() ? ArrayRef<StringRef>() : it->second;
}

ArrayRef<StringRef> ChannelLists::getSent(func::FuncOp function) const {
  auto it = sent.find(function);
  return it == sent.end() ? ArrayRef<StringRef>() : it->second;
}

} // namespace mpc
