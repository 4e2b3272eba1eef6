import { expect, test } from 'vitest'
import { echoWasm } from '../../../../protocol/hbc/testing/artifacts.ts'
import { checkGuest } from '../../../../protocol/wasm/guest.ts'
import { type Module, readModule } from '../../../../protocol/wasm/module.ts'
import { engines } from '../engines.ts'
import { emptyState } from '../execution.ts'
import { executeOn } from '../host/call.ts'
import { empty, guest, requestOf } from '../testing/guests.ts'
import { readValidGuest } from './valid-guest.ts'

test('bodies that were validated can be read again', () => {
  const placesOf = ({ bodies }: Module) => bodies.map(({ at }) => at)
  expect(placesOf(readValidGuest(echoWasm).module)).toEqual(placesOf(readModule(echoWasm)))
})

test('for a module with two faults, every engine names the one that breaks the rules for guests', () => {
  // Two functions of one byte of code: the first drops a value that is not there, the second is not an operator.
  const wasm = guest(empty, '(func nop) (func nop)')
  const first = wasm.findIndex((byte, at) => byte === 0x01 && wasm[at + 1] === 0x0b)
  const second = wasm.findIndex((byte, at) => at > first && byte === 0x01 && wasm[at + 1] === 0x0b)
  wasm[first] = 0x1a
  wasm[second] = 0xff
  const { message } = thrown(() => checkGuest(wasm))
  expect(message).toContain('there is no operator 0xff')
  expect(thrown(() => readValidGuest(wasm)).message).toBe(message)
  for (const engine of Object.values(engines))
    expect(executeOn(engine, requestOf(wasm), emptyState)).toMatchObject({
      error: `invalid module: ${message}`,
      gasUsed: 0,
    })
})

function thrown(work: () => unknown): Error {
  try {
    work()
  } catch (error) {
    return error as Error
  }
  throw new Error('nothing was thrown')
}
