/** Transfers of control from the main loop: to the host, to its caller at a pause or at the end, and to code in a table. */
import { machine, Status, Trap, trapped } from './machine'

/** A function of the host: its parameters lie from `frame` on, one to a slot, and its result goes to the first. */
// @ts-ignore: a decorator of the compiler
@external('env', 'host')
export declare function host(index: u32, frame: u32): void

/** The gas bound is reached: the run is over, or the host gets to look at its clock. */
export function pause(pc: u32, fp: u32, fuel: i64, calls: u32, units: i32): Status {
  if (machine.bound >= machine.limit) {
    machine.saved = machine.limit
    return Status.outOfGas
  }
  machine.pausedAt = pc
  machine.pausedFrame = fp
  machine.pausedFuel = fuel
  machine.calls = calls
  machine.units = units
  return Status.paused
}

/**
 * Whether to return to the host although gas does not run out at this place: code without loops and without calls of guest
 * functions may still move memory and call the host for long.
 */
// @ts-ignore: a decorator of the compiler
@inline export function mayPause(fuel: i64, bound: i64): bool {
  return fuel >= bound && bound < machine.limit
}

export function finish(calls: u32, units: i32): Status {
  machine.calls = calls
  machine.units = units
  return Status.done
}

/** Code of a function in a table; 0 after a trap. */
export function indirect(type: u32, table: u32, index: u32): u32 {
  if (index >= load<u32>(table)) {
    trapped(Trap.table)
    return 0
  }
  const reference = load<u32>(load<u32>(table, 8) + 4 * index)
  if (reference == 0 || load<u32>(machine.functions + 8 * (reference - 1), 4) != type) {
    trapped(Trap.indirect)
    return 0
  }
  return load<u32>(machine.functions + 8 * (reference - 1))
}
