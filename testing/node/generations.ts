import type { IncomingMessage, ServerResponse } from 'node:http'
import { Generations } from '../../node-cli/src/serve/generations/generations.ts'
import { sendJson } from '../../node-cli/src/serve/hub/testing/lying-hub.ts'
import type { ServeStore } from '../../node-cli/src/serve/store/index.ts'
import {
  generationSigners,
  hashGeneration,
  noGenerationHash,
  type SignedGeneration,
  signGeneration,
  type ValidatorGeneration,
} from '../../protocol/committees/index.ts'
import { hashText } from '../../protocol/encoding/index.ts'
import { defaultNetworkParams, deriveNodeId, resolveProfile } from '../../protocol/identity/index.ts'
import { publicKeyOf, signerOf } from './signers.ts'

const profile = resolveProfile()

export const coordinatorSeed = hashText('coordinator')

/** Seeds of the validators of most tests. */
export const validatorSeeds = Array.from({ length: 4 }, (_, i) => hashText(`validator ${i}`))

/** The values of a generation that a test may change. */
export interface GenerationOptions {
  readonly effectiveAt?: number
  /** Seeds that sign; all that may if left out. */
  readonly signedBy?: readonly string[]
}

export type TestGenerations = ReturnType<typeof createGenerations>

/** A chain of validator generations, as a hub shows it. @param urlOf Where the hub says that a validator is. */
export function createGenerations(urlOf: (publicKey: string) => string | null) {
  const chain: SignedGeneration[] = []
  const seedOf = new Map<string, string>()

  /** Makes the next document, without adding it. @param seeds Of its validators. */
  const next = (seeds: readonly string[], effectiveAt?: number): ValidatorGeneration => {
    for (const seed of seeds) seedOf.set(publicKeyOf(seed), seed)
    const previous = chain.at(-1)?.document ?? null
    return {
      v: 1,
      network: profile.network,
      generation: chain.length,
      effective_at: previous === null ? 0 : (effectiveAt ?? previous.effective_at + 1),
      prev_hash: previous === null ? noGenerationHash : hashGeneration(profile, previous),
      validators: seeds
        .map(publicKeyOf)
        .sort()
        .map((public_key) => ({ public_key, node_id: deriveNodeId(profile, public_key) })),
    }
  }

  /** Signs a document, and shows it. */
  const add = (
    seeds: readonly string[],
    { effectiveAt, signedBy }: GenerationOptions = {},
  ): SignedGeneration => {
    const document = next(seeds, effectiveAt)
    const previous = chain.at(-1)?.document ?? null
    const signers =
      signedBy ??
      (previous === null ? [] : generationSigners(previous, document).map((key) => seedOf.get(key)!))
    const signed = {
      document,
      coordinator: signGeneration(profile, signerOf(coordinatorSeed), document),
      signatures: signers.map((seed) => signGeneration(profile, signerOf(seed), document)),
    }
    chain.push(signed)
    return signed
  }

  const itemOf = ({ document, coordinator, signatures }: SignedGeneration) => ({
    ...document,
    validators: document.validators.map((one) => ({ ...one, url: urlOf(one.public_key), region: null })),
    hash: hashGeneration(profile, document),
    coordinator,
    signatures,
  })

  return {
    chain,
    next,
    add,
    /** As the hub shows them, the oldest first. */
    items: () => chain.map(itemOf),
    /** Answers `/v1/validators/generations` and `/v1/validators`. */
    answer: ({ url = '' }: IncomingMessage, response: ServerResponse): void => {
      const { pathname, searchParams } = new URL(url, 'http://hub')
      if (pathname === '/v1/validators') {
        const found = chain[Number(searchParams.get('generation') ?? chain.length - 1)]
        if (found === undefined)
          return sendJson(response, { error: 'not_found', message: 'No such generation.' }, 404)
        const { v: _, network: __, prev_hash: ___, ...item } = itemOf(found)
        return sendJson(response, item)
      }
      const limit = Number(searchParams.get('limit'))
      const end = Number(searchParams.get('cursor') ?? chain.length)
      const start = Math.max(0, end - limit)
      sendJson(response, {
        items: chain.slice(start, end).toReversed().map(itemOf),
        next_cursor: start === 0 ? null : String(start),
      })
    },
  }
}

/** A chain that a store knows, without a hub: generation 0 has these seeds. */
export function knownGenerations(store: ServeStore, seeds: readonly string[]): Generations {
  const generations = new Generations(profile, () => defaultNetworkParams, store.generations)
  generations.begin(createGenerations(() => null).add(seeds), publicKeyOf(coordinatorSeed))
  return generations
}
