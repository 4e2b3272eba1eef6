import { isUtf8 } from 'node:buffer'
import {
  bytesToHex,
  CanonicalJsonError,
  hashBytes,
  isBytes32,
  parseStrictJson,
} from '../../../../protocol/encoding/index.ts'
import { GuestFailure } from '../execution.ts'
import { limits } from '../limits.ts'
import type { GuestLog } from './guest-log.ts'
import type { HostFunctions } from './instance.ts'
import type { Journal } from './journal.ts'

/** The access that host functions need to the instance that calls them. */
export interface Caller {
  address: string
  journal: Journal
  log: GuestLog
  /** The guest's memory as it is at this moment. */
  memory: () => Uint8Array
  /** Takes gas before the work it pays for. Ends the run when there is too little. */
  charge: (gas: number) => void
  /** Calls the guest's `__alloc`, at the guest's cost. */
  allocate: (bytes: number) => number
  /** Runs another module with all gas that is left, and charges what it used. */
  call: (address: string, name: string, input: Uint8Array) => Uint8Array | number
}

/** Results of `hive.call` below 0. */
export const callErrors = {
  moduleNotFound: -1,
  functionNotFound: -2,
  failed: -3,
  tooDeep: -5,
  malformedAddress: -6,
} as const

type Numbers = readonly number[]

/** Implements the host functions for one instance. Parameters come as signed 32-bit numbers. */
export class Host {
  readonly #caller: Caller

  constructor(caller: Caller) {
    this.#caller = caller
  }

  /** The functions by `module.name`; those with a result give pointer and length, or a code below 0. */
  readonly functions: HostFunctions = {
    'hive.call': (...parameters) => this.#call(parameters),
    'hive.emit': (...parameters) => this.#emit(parameters),
    'hive.abort': (pointer, length) => this.#abort(pointer!, length!),
    'storage.get': (pointer, length) => this.#get(pointer!, length!),
    'storage.set': (...parameters) => this.#set(parameters),
    'storage.del': (pointer, length) => this.#delete(pointer!, length!),
    'console.log': (pointer, length) => this.#writeLog(pointer!, length!),
    'crypto.hash': (pointer, length) => this.#hash(pointer!, length!),
    'env.abort': (message) => this.#abortScript(message!),
  }

  #call([addressAt, addressBytes, nameAt, nameBytes, inputAt, inputBytes]: Numbers):
    | number
    | readonly [number, number] {
    const lengths = [addressBytes, nameBytes, inputBytes].map((length) => length! >>> 0)
    this.#caller.charge(10_000 + lengths[0]! + lengths[1]! + lengths[2]!)
    const address = this.#bytes(addressAt!, addressBytes!, limits.input)
    const name = this.#text(nameAt!, nameBytes!, limits.input)
    const input = this.#bytes(inputAt!, inputBytes!, limits.input).slice()
    const text = asText.decode(address)
    if (!isBytes32(text)) return callErrors.malformedAddress
    const output = this.#caller.call(text, name, input)
    if (typeof output === 'number') return output
    this.#caller.charge(output.length)
    return this.#give(output)
  }

  #emit([nameAt, nameBytes, dataAt, dataBytes]: Numbers): undefined {
    this.#caller.charge(500 + 2 * ((nameBytes! >>> 0) + (dataBytes! >>> 0)))
    const name = this.#text(nameAt!, nameBytes!, 64)
    if (!/^[A-Za-z0-9_.:-]{1,64}$/.test(name)) throw new GuestFailure('trap: malformed event name')
    const data = this.#bytes(dataAt!, dataBytes!, limits.eventData)
    try {
      this.#caller.journal.emit({ name, data: parseStrictJson(data) })
    } catch (error) {
      if (error instanceof CanonicalJsonError)
        throw new GuestFailure('trap: event data is not acceptable JSON')
      throw error
    }
  }

  #abort(pointer: number, length: number): never {
    const shown = Math.min(length >>> 0, limits.abortMessage)
    const message = asText.decode(this.#bytes(pointer, shown, limits.abortMessage))
    throw new GuestFailure(`aborted: ${message}`)
  }

  /** The abort of AssemblyScript: what a thrown Error says, and failed checks of its own. */
  #abortScript(pointer: number): never {
    const message = scriptText(this.#caller.memory(), pointer >>> 0)
    throw new GuestFailure(message === '' ? 'aborted' : `aborted: ${message}`)
  }

  #get(pointer: number, length: number): number | readonly [number, number] {
    this.#caller.charge(1_000 + (length >>> 0))
    const value = this.#caller.journal.get(this.#caller.address, this.#key(pointer, length))
    if (value === null) return 0
    this.#caller.charge(value.length)
    return this.#give(value)
  }

  #set([keyAt, keyBytes, valueAt, valueBytes]: Numbers): undefined {
    this.#caller.charge(5_000 + 10 * ((keyBytes! >>> 0) + (valueBytes! >>> 0)))
    const key = this.#key(keyAt!, keyBytes!)
    if (key === '') throw new GuestFailure('trap: empty storage key')
    const value = this.#bytes(valueAt!, valueBytes!, limits.storageValue).slice()
    this.#caller.journal.set({ address: this.#caller.address, key, value: value.length === 0 ? null : value })
  }

  #delete(pointer: number, length: number): undefined {
    this.#caller.charge(2_000 + (length >>> 0))
    this.#caller.journal.set({ address: this.#caller.address, key: this.#key(pointer, length), value: null })
  }

  #writeLog(pointer: number, length: number): undefined {
    this.#caller.charge(100 + (length >>> 0))
    this.#caller.log.add(this.#text(pointer, length, limits.logLine), length)
  }

  #hash(pointer: number, length: number): readonly [number, number] {
    this.#caller.charge(200 + (length >>> 0))
    return this.#give(new TextEncoder().encode(hashBytes(this.#bytes(pointer, length, 64 * 1024 * 1024))))
  }

  #key(pointer: number, length: number): string {
    return bytesToHex(this.#bytes(pointer, length, limits.storageKey)).slice(2)
  }

  #text(pointer: number, length: number, bytesMax: number): string {
    const bytes = this.#bytes(pointer, length, bytesMax)
    if (!isUtf8(bytes)) throw new GuestFailure('trap: text is not valid UTF-8')
    return asText.decode(bytes)
  }

  /** A view of the guest's memory; it is only good until the guest runs again. */
  #bytes(pointer: number, length: number, bytesMax: number): Uint8Array {
    const [start, count] = [pointer >>> 0, length >>> 0]
    if (count > bytesMax) throw new GuestFailure('trap: a length is over its limit')
    const memory = this.#caller.memory()
    if (start + count > memory.length) throw new GuestFailure('trap: pointer out of bounds')
    return memory.subarray(start, start + count)
  }

  /** Writes bytes where the guest allocates them. */
  #give(value: Uint8Array): readonly [number, number] {
    if (value.length === 0) return [0, 0]
    const pointer = this.#caller.allocate(value.length) >>> 0
    const memory = this.#caller.memory()
    if (pointer + value.length > memory.length) throw new GuestFailure('trap: pointer out of bounds')
    memory.set(value, pointer)
    return [pointer, value.length]
  }
}

/**
 * The beginning of a string of AssemblyScript: UTF-16, with its length in bytes in the four bytes before it. Empty for
 * what cannot be one: whatever a guest passes, the run ends as aborted.
 */
function scriptText(memory: Uint8Array, pointer: number): string {
  if (pointer < 4 || pointer > memory.length) return ''
  const length = new DataView(memory.buffer, memory.byteOffset + pointer - 4, 4).getUint32(0, true)
  if (pointer + length > memory.length) return ''
  // A unit takes at least one byte of UTF-8.
  const units = Buffer.from(memory.subarray(pointer, pointer + Math.min(length, 2 * limits.abortMessage)))
  const shown = new Uint8Array(limits.abortMessage)
  const { written } = new TextEncoder().encodeInto(units.toString('utf16le'), shown)
  return asText.decode(shown.subarray(0, written))
}

/** Every byte counts: a byte order mark is part of the text. */
const asText = new TextDecoder('utf-8', { ignoreBOM: true })
