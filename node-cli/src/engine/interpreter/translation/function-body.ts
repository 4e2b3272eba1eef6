import { type LocalGroup, readLocals } from '../../../../../protocol/wasm/body.ts'
import type { FunctionType, Module } from '../../../../../protocol/wasm/module.ts'
import type { ValueType } from '../../../../../protocol/wasm/operator-row.ts'
import type { WasmReader } from '../../../../../protocol/wasm/reader.ts'
import { localTypeOf } from '../../validation/local-type.ts'
import type { CodeWriter } from './code-writer.ts'
import { Emitter } from './emitter.ts'
import { instruction } from './instructions.ts'
import { OperandStack, widthOf } from './operand-stack.ts'

/** The addresses of a module's parts in the machine's memory. */
export interface ModuleAddresses {
  /** Address of the first instruction, in bytes. */
  readonly code: number
  readonly global: (index: number) => number
  readonly table: (index: number) => number
  readonly dataSegment: (index: number) => number
  readonly elementSegment: (index: number) => number
  /** A number that functions of one signature share. */
  readonly signatures: readonly number[]
  /** Bytes no access can ever go beyond, by the maximum the module states. */
  readonly addressable: number
}

/** A word to fill with the code of a function, once that of all is known. */
export interface Relocation {
  readonly at: number
  readonly target: number
}

/** The data that the bodies of a module share. */
export interface TranslationTarget {
  readonly module: Module
  readonly addresses: ModuleAddresses
  readonly writer: CodeWriter
  readonly relocations: Relocation[]
}

/** An open block. */
export interface ControlFrame {
  readonly kind: 'function' | 'block' | 'loop' | 'if' | 'else'
  readonly type: FunctionType
  /** Operands below. */
  readonly height: number
  /** Words to fill with the place of the end. */
  readonly ends: number[]
  /** Address of the first instruction of a loop. */
  readonly header: number
  /** The word to fill with the place of the else-arm. */
  readonly elseAt: number
  /** Code at the head can be reached, so that what follows an if without else can. */
  readonly headReachable: boolean
  /** A branch that can be reached leads to the end. */
  branched: boolean
  /** Validation treats what follows as code that cannot be reached. */
  unreachable: boolean
}

/** Gas of the operators that the stack rewrite puts around a body, and before whatever leaves it. */
const prologueGas = 8
export const epilogueGas = 4

/**
 * A function body while it is translated: its open blocks, its operands, and whether code can be reached. The files
 * beside this one translate its operators, each those of one kind.
 */
export class FunctionBody {
  readonly module: Module
  readonly addresses: ModuleAddresses
  readonly relocations: Relocation[]
  readonly type: FunctionType
  readonly reader: WasmReader
  /** Number of locals, parameters included. */
  readonly localCount: number
  readonly stack: OperandStack
  readonly emitter: Emitter
  readonly frames: ControlFrame[] = []
  /** Words that take the units this function costs. */
  readonly unitWords: number[] = []
  /** Operands as validation counts them, those of code that cannot be reached included. */
  height = 0
  heightMax = 0
  reachable = true
  readonly #locals: readonly LocalGroup[]

  constructor(target: TranslationTarget, type: FunctionType, reader: WasmReader) {
    this.module = target.module
    this.addresses = target.addresses
    this.relocations = target.relocations
    this.type = type
    this.reader = reader
    this.#locals = readLocals(reader, type.params)
    this.localCount = this.#locals.at(-1)?.end ?? 0
    this.stack = new OperandStack(target.writer, this.localCount)
    this.emitter = new Emitter(target.writer, this.stack, prologueGas)
  }

  localWidth(local: number): number {
    return widthOf(localTypeOf(this.#locals, local))
  }

  /** Counts operands that code takes and gives without being translated: their heights matter to the stack cost. */
  adjust(pops: number, pushes: number): void {
    const frame = this.frames.at(-1)!
    const left = this.height - pops
    this.height = (frame.unreachable ? Math.max(left, frame.height) : left) + pushes
  }

  /** The stack where paths meet: everything in its slot. */
  restore(height: number, types: readonly ValueType[]): void {
    this.height = height + types.length
    if (!this.reachable) return
    this.stack.reset(height)
    for (let index = 0; index < types.length; index++) this.stack.pushSlot(widthOf(types[index]!))
  }

  /** The rest of the block cannot be reached. */
  leave(): void {
    const frame = this.frames.at(-1)!
    frame.unreachable = true
    this.height = frame.height
    if (this.reachable) this.#stop()
  }

  /** Ends the run where gas is saved first. */
  trap(kind: number): void {
    this.emitter.writer.two(this.emitter.due(instruction.trap), kind)
    this.#stop()
  }

  /** The place where the next instruction goes, which something leads to. */
  here(): number {
    this.emitter.barrier()
    return this.addresses.code + 4 * this.emitter.writer.length
  }

  #stop(): void {
    this.reachable = false
    this.emitter.dropPending()
    this.emitter.barrier()
  }
}
