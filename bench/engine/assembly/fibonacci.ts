import { parse, print } from './guest'
export { __alloc } from './guest'

/** Calls of a small recursive function. */
function fibonacci(n: i32): i32 {
  return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2)
}

function kernel(n: i32): i32 {
  return fibonacci(n)
}

export function __hive_entry(id: i32, pointer: i32, length: i32): i64 {
  return print(kernel(parse(pointer, length)))
}
