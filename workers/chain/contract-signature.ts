import { encodeFunctionData, type Hex } from 'viem'
import { unavailable } from '../errors.ts'
import type { ChainClient } from './client.ts'

const abi = [
  {
    type: 'function',
    name: 'isValidSignature',
    stateMutability: 'view',
    inputs: [
      { name: 'hash', type: 'bytes32' },
      { name: 'signature', type: 'bytes' },
    ],
    outputs: [{ type: 'bytes4' }],
  },
] as const
/** All that a contract answers that takes a signature as its own: the magic value, as a word. */
const accepted = `0x1626ba7e${'0'.repeat(56)}`
/** Plenty for a multi-signature wallet, and a bound for a contract that only burns. */
const gasMax = 5_000_000

/** Asks a contract wallet whether a signature is its own (EIP-1271). @throws {@link ApiError} 503 `unavailable` without an answer in time. */
export async function checkContractSignature(
  chain: ChainClient,
  { address, digest, signature }: { address: string; digest: Hex; signature: Hex },
): Promise<'valid' | 'invalid' | 'no_code'> {
  try {
    if (!(await chain.holdsCode(address))) return 'no_code'
    const data = encodeFunctionData({ abi, functionName: 'isValidSignature', args: [digest, signature] })
    const answer = await chain.call(address, data, gasMax)
    return answer === accepted ? 'valid' : 'invalid'
  } catch (error) {
    throw unavailable('The chain', error)
  }
}
