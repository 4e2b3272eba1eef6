import { describe, expect, test } from 'vitest'
import wabt from 'wabt'
import type { ValueType } from './operator-row.ts'
import { type Operator, operatorAt, operators, refusedFeature } from './operators.ts'

const { parseWat } = await wabt()

/** Immediates in text form, for the operators whose operands do not depend on them. */
const immediateText: Partial<Record<Operator['immediates'], string>> = {
  none: '',
  memarg: '',
  'memarg-lane': '0',
  memory: '',
  'memory-memory': '',
  'data-memory': '0',
  data: '0',
  'element-table': '0 0',
  element: '0',
  'table-table': '0 0',
  table: '0',
  function: '0',
  i32: '1',
  i64: '1',
  f32: '1',
  f64: '1',
  v128: 'i32x4 0 0 0 0',
  shuffle: '0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15',
  lane: '0',
}

const zero: Record<ValueType, string> = {
  i32: 'i32.const 0',
  i64: 'i64.const 0',
  f32: 'f32.const 0',
  f64: 'f64.const 0',
  v128: 'v128.const i32x4 0 0 0 0',
  funcref: 'ref.null func',
  externref: 'ref.null extern',
}

/** A function made of one operator and exactly the operands and results that the table states. */
function moduleOf(operator: Operator): string {
  const { pops, pushes } = operator
  if (pops === 'special' || pushes === 'special') throw new Error('the signature depends on immediates')
  const operands = pops.map((type) => zero[type]).join(' ')
  return `(module (memory 1) (table 1 funcref) (elem $e func 0) (elem declare func 0) (data $d "x")
    (func (result ${pushes.join(' ')}) ${operands} ${operator.name} ${immediateText[operator.immediates]}))`
}

describe('operators', () => {
  const plain = operators.filter(({ pops }) => pops !== 'special')

  test('every signature and opcode is the same in an independent assembler and validator', () => {
    const features = { bulk_memory: true, reference_types: true, simd: true, sat_float_to_int: true }
    for (const operator of plain) {
      const module = parseWat('operator.wat', moduleOf(operator), features)
      try {
        module.validate()
        const { buffer } = module.toBinary({ write_debug_names: false })
        expect(codesOf(buffer), operator.name).toContain(operator.code)
      } finally {
        module.destroy()
      }
    }
  })

  test('codes are unique, and a lookup by code finds the operator', () => {
    expect(new Set(operators.map(({ code }) => code)).size).toBe(operators.length)
    for (const operator of operators)
      expect(operatorAt(operator.code >> 8, operator.code & 0xff)).toBe(operator)
  })

  test('the table holds every operator of the allowed features and no other', () => {
    const count = (prefix: number) => operators.filter(({ code }) => code >> 8 === prefix).length
    expect([count(0), count(0xfc), count(0xfd)]).toEqual([185, 18, 236])
  })

  test.each([
    [0x06, 0, 'exceptions'],
    [0x1f, 0, 'exceptions'],
    [0x14, 0, 'typed function references'],
    [0xd3, 0, 'garbage collection'],
    [0xe0, 0, 'stack switching'],
    [0x00, 0xfb, 'garbage collection'],
    [0x00, 0xfe, 'threads'],
    [0x100, 0xfd, 'relaxed SIMD'],
    [0x13, 0xfc, 'wide arithmetic'],
    [0x27, 0, undefined],
  ])('opcode %i after prefix %i is refused as %s', (opcode, prefix, feature) => {
    expect(operatorAt(prefix, opcode)).toBeUndefined()
    expect(refusedFeature(prefix, opcode)).toBe(feature)
  })
})

/** The codes that may start anywhere in a module; enough to see that the stated one is there. */
function codesOf(bytes: Uint8Array): number[] {
  return [...bytes].flatMap((byte, i) => {
    const low = bytes[i + 1]!
    // Opcodes after a prefix are LEB128: from 0x80 on they take two bytes.
    const opcode = low < 0x80 ? low : (low & 0x7f) | (bytes[i + 2]! << 7)
    return byte === 0xfc || byte === 0xfd ? [byte, (byte << 8) | opcode] : [byte]
  })
}
