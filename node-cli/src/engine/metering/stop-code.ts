import type { ByteWriter } from './byte-writer.ts'
import { type MeterGlobals, stopped } from './meter-state.ts'
import { writeSafepoint } from './safepoint.ts'

/**
 * Ends the run because its gas is used up. A function without any call has no check for an interrupt on entry, so that
 * one which does nothing but call such functions could hold its thread for minutes.
 */
export function writeOutOfGas(body: ByteWriter, { status }: MeterGlobals, safepoint: number): void {
  writeSafepoint(body, safepoint)
  writeStatus(body, status, stopped.outOfGas)
}

/** Ends the run with a status that tells the host why. */
export function writeStatus(body: ByteWriter, global: number, status: number): void {
  body.bytes([0x41, status, 0x24])
  body.u32(global)
  body.byte(0x00)
}
