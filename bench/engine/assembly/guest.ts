/** The code that all kernels share, compiled in front of each: its entry, memory for the host, and numbers as decimal text. */
export function __hive_entry(id: i32, pointer: i32, length: i32): i64 {
  return print(kernel(parse(pointer, length)))
}

export function __alloc(bytes: i32): i32 {
  return <i32>heap.alloc(bytes)
}

function parse(pointer: i32, length: i32): i32 {
  let value = 0
  for (let i = 0; i < length; i++) value = value * 10 + <i32>load<u8>(pointer + i) - 48
  return value
}

function print(value: i32): i64 {
  const text = <i32>heap.alloc(16)
  let at = 16
  let rest: u32 = value < 0 ? 0 - value : value
  do {
    store<u8>(text + --at, <u8>(48 + (rest % 10)))
    rest /= 10
  } while (rest)
  if (value < 0) store<u8>(text + --at, 45)
  return (<i64>(text + at) << 32) | (16 - at)
}
