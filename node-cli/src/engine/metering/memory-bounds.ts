import { guestPagesMax } from '../../../../protocol/wasm/guest.ts'
import type { Module } from '../../../../protocol/wasm/module.ts'

/**
 * Bytes beyond which no access can ever be in bounds: what the module *states* as its maximum, whatever the caps make
 * of it.
 */
export function addressableBytes({ memories }: Module): number {
  const memory = memories[0]
  if (memory === undefined) return 0
  return memory.max === undefined ? 2 ** 32 : memory.max * 65_536
}

/** Most pages the memory can have: what the module states, up to the cap. */
export const pagesMax = ({ memories }: Module): number =>
  Math.min(memories[0]?.max ?? guestPagesMax, guestPagesMax)
