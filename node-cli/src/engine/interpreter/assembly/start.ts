/** The functions with which the host begins and continues a run. */
import { machine, Status } from './machine'
import { run } from './run'

/** Calls code whose parameters lie from `frame` on, and runs until it returns or something else ends the run. */
export function call(code: u32, frame: u32): Status {
  // The return address 0 leads out of the machine.
  store<u32>(machine.calls, 0)
  store<u32>(machine.calls, frame, 4)
  machine.calls += 8
  return run(code, frame, machine.saved)
}

/** Goes on after a pause, with the next slice of gas. */
export function resume(): Status {
  machine.bound = min<i64>(machine.limit, machine.pausedFuel + machine.slice)
  return run(machine.pausedAt, machine.pausedFrame, machine.pausedFuel)
}
