import { codeOf } from '../opcodes.ts'

const code = (name: string): number => codeOf.get(name)!

/** Codes of the instructions that the translator writes by itself; all others have the name of their operator. */
export const instruction = {
  fuel: code('fuel'),
  enter: code('enter'),
  loop: code('loop'),
  poll: code('poll'),
  branch: code('br'),
  branchIf: code('br_if'),
  branchTable: code('br_table'),
  call: code('call'),
  callIndirect: code('call_indirect'),
  returnCall: code('return_call'),
  returnCallIndirect: code('return_call_indirect'),
  return: code('ret'),
  return32: code('ret_32'),
  returnMany: code('ret_many'),
  trap: code('trap'),
  moveMany: code('mov_many'),
  constant128: code('const_128'),
  select32: code('select_32'),
  globalGet32: code('global_get_32'),
  globalSet32: code('global_set_32'),
  memorySize: code('memory_size'),
  memoryGrow: code('memory_grow'),
  isZero32: code('i32_eqz'),
  rotateLeft32: code('i32_rotl_c'),
  rotateLeft64: code('i64_rotl_c'),
  add32: code('i32_add_c'),
  add64: code('i64_add_c'),
} as const

/** Kinds of traps that code ends with by itself. */
export const trapKind = { unreachable: 1, memory: 5 } as const
