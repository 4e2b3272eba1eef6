/** The state of the machine beyond what the main loop holds while it runs, and how the host reaches it. */

/** How the main loop ended. */
export const enum Status {
  done = 0,
  /** Gas up to the bound is used, but there is more: the host calls `resume`. */
  paused = 1,
  outOfGas = 2,
  stackLimit = 3,
  trap = 4,
}

export const enum Trap {
  unreachable = 1,
  divideByZero = 2,
  overflow = 3,
  conversion = 4,
  memory = 5,
  table = 6,
  indirect = 7,
  /** The host has no memory to give: no answer of the guest. */
  fault = 8,
}

export namespace machine {
  /** Gas the host and other activations can see. */
  export let saved: i64 = 0
  export let limit: i64 = 0
  /** The limit, or less, so that the loop returns to the host now and then. */
  export let bound: i64 = 0
  export let slice: i64 = 0
  /** Stack units that are left. */
  export let units: i32 = 0
  /** Top of the stack of calls. */
  export let calls: u32 = 0
  export let memoryBase: u32 = 0
  export let memoryBytes: u64 = 0
  export let pagesMax: u32 = 0
  /** One entry per function: code, then type. */
  export let functions: u32 = 0
  export let trap: i32 = 0

  export let pausedAt: u32 = 0
  export let pausedFrame: u32 = 0
  export let pausedFuel: i64 = 0
}

/** Sets the layout of the memory, which layout.ts computes. */
export function setLayout(
  calls: u32,
  functions: u32,
  memoryBase: u32,
  memoryBytes: u32,
  pagesMax: u32,
): void {
  machine.calls = calls
  machine.functions = functions
  machine.memoryBase = memoryBase
  machine.memoryBytes = memoryBytes
  machine.pagesMax = pagesMax
}

export function setGas(limit: f64, slice: f64): void {
  machine.saved = 0
  machine.limit = <i64>limit
  machine.slice = <i64>slice
  machine.bound = min<i64>(machine.limit, machine.slice)
}

export function setUnits(units: i32): void {
  machine.units = units
}

export function gasUsed(): f64 {
  return <f64>machine.saved
}

/** Takes gas for work of the host; false when there is less than that. */
export function charge(gas: f64): bool {
  const after = machine.saved + <i64>gas
  if (after > machine.limit) return false
  machine.saved = after
  return true
}

/** Marks all gas as used. */
export function exhaust(): void {
  machine.saved = machine.limit
}

export function trapKind(): i32 {
  return machine.trap
}

export function memoryBytes(): u32 {
  return <u32>machine.memoryBytes
}

/** Ends the loop with a trap; what was saved before it stands. */
export function trapped(kind: Trap): Status {
  machine.trap = kind
  return Status.trap
}

/** Grows the guest's memory, which is the last thing in the machine's own. @returns The pages before, or -1. */
export function growMemory(delta: u32): i32 {
  const pages = <u32>(machine.memoryBytes >> 16)
  if (<u64>pages + <u64>delta > <u64>machine.pagesMax) return -1
  // V8 makes a new buffer object even for nothing.
  if (delta == 0) return pages
  if (memory.grow(delta) < 0) {
    machine.trap = Trap.fault
    return -1
  }
  machine.memoryBytes += <u64>delta << 16
  return pages
}
