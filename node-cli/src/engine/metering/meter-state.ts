/** Exports of a metered module by which the host reads and sets its state. */
export const meterExports = {
  /** i64: gas used minus the limit, negative while some is left. */
  fuel: '__ndsr_fuel',
  /** i32: 0, or why the module stopped itself. */
  status: '__ndsr_status',
  /** i32: stack units left to the next function called. */
  budget: '__ndsr_budget',
} as const

/**
 * Why a module stopped itself; `repeat`: its run says nothing and must be repeated with exact metering; `noMemory`: the
 * machine did not give what the rules allow.
 */
export const stopped = { outOfGas: 1, stackLimit: 2, repeat: 3, noMemory: 4 } as const

/** Indices of the globals that are appended. */
export interface MeterGlobals {
  readonly fuel: number
  readonly status: number
  readonly budget: number
}

/** The globals behind those the module has. */
export const meterGlobalsFrom = (first: number): MeterGlobals => ({
  fuel: first,
  status: first + 1,
  budget: first + 2,
})

/** The same as they are appended, in the order of their indices. */
export const meterGlobals = [
  { type: 'i64', initial: 0, exportName: meterExports.fuel },
  { type: 'i32', initial: 0, exportName: meterExports.status },
  { type: 'i32', initial: 0, exportName: meterExports.budget },
] as const
