import type { Abi, Address, Hex } from 'viem'
import { decodeFunctionResult, encodeFunctionData, hexToBytes, keccak256, toHex } from 'viem/utils'
import { callNode } from './json-rpc.ts'

/** A contract as it should be on the chain. */
export interface ExpectedContract {
  readonly name: string
  readonly address: Address
  readonly abi: Abi
  readonly bytecode: Hex
  /** The answers expected of its functions: function, arguments, answer. Addresses in any case. */
  readonly answers: readonly (readonly [name: string, args: readonly unknown[], answer: unknown])[]
}

export const roleHash = (role: string): Hex =>
  role === 'DEFAULT_ADMIN_ROLE' ? `0x${'00'.repeat(32)}` : keccak256(toHex(role))

/** Compares contracts on a chain with their expected code and settings. @returns The differences, as sentences. */
export async function findDifferences(
  rpcUrl: string,
  contracts: readonly ExpectedContract[],
): Promise<string[]> {
  const differences: string[] = []
  for (const { name, address, abi, bytecode, answers } of contracts) {
    const calls = answers.map(([functionName, args]) => {
      const data = encodeFunctionData({ abi, functionName, args: [...args] })
      return ['eth_call', { to: address, data }, 'latest'] as const
    })
    const [code] = (await callNode(rpcUrl, [['eth_getCode', address, 'latest']])) as [Hex]
    if (!isCodeOf(bytecode, code)) {
      differences.push(`${name}: ${code === '0x' ? 'no' : 'different'} code at ${address}`)
      continue
    }
    const results = (await callNode(rpcUrl, calls)) as Hex[]
    for (const [i, [functionName, args, answer]] of answers.entries()) {
      const given = decodeFunctionResult({ abi, functionName, data: results[i]! })
      if (String(given).toLowerCase() !== String(answer).toLowerCase())
        differences.push(`${name}: ${functionName}(${args.join(', ')}) is ${given}, not ${answer}`)
    }
  }
  return differences
}

const push32 = 0x7f
const wordBytes = 32

/**
 * Whether a contract's code is what its creation code leaves behind. That has it as a part, but for values that are set
 * once: there it pushes a word of zeros, whatever the value becomes.
 */
export function isCodeOf(creation: Hex, deployed: Hex): boolean {
  const [template, code] = [hexToBytes(creation), hexToBytes(deployed)]
  if (code.length === 0) return false
  for (let offset = template.length - code.length; offset >= 0; offset--)
    if (isSameBut(template.subarray(offset, offset + code.length), code)) return true
  return false
}

function isSameBut(template: Uint8Array, code: Uint8Array): boolean {
  for (let i = 0; i < code.length; i++) {
    if (template[i] === code[i]) continue
    const start = startOfWord(template, i)
    if (start === null) return false
    i = start + wordBytes - 1
  }
  return true
}

/** Offset of the pushed word of zeros that contains a byte; null if no such word contains it. */
function startOfWord(template: Uint8Array, at: number): number | null {
  for (let start = at; start > Math.max(0, at - wordBytes); start--)
    if (template[start - 1] === push32)
      return template.subarray(start, start + wordBytes).every((byte) => byte === 0) ? start : null
  return null
}
