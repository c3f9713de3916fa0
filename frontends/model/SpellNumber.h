//===- SpellNumber.h - numbers in messages ----------------------*- C++ -*-===//

#ifndef MPC_FRONTENDS_MODEL_SPELLNUMBER_H
#define MPC_FRONTENDS_MODEL_SPELLNUMBER_H

#include <charconv>
#include <string>

namespace mpc {

/// The shortest decimal that reads back as `number`.
inline std::string spellNumber(double number) {
  char text[32];
  return std::string(text,
                     std::to_chars(text, text + sizeof(text), number).ptr);
}

} // namespace mpc

#endif // MPC_FRONTENDS_MODEL_SPELLNUMBER_H
