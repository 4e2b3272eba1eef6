import fc from 'fast-check'
import type { SnapshotCandidate } from '../../committees/index.ts'
import { hashText } from '../../encoding/index.ts'
import { addressOf, consensus, nodes } from './network.ts'

const enough = BigInt(consensus.economics.min_collateral)

/** Candidates of different keys in any order, with collateral around what is needed, some of them to be left out. */
export const candidateLists: fc.Arbitrary<SnapshotCandidate[]> = fc
  .subarray(nodes.map((_, i) => i))
  .chain((some) =>
    fc
      .tuple(
        ...some.map((i) =>
          fc.record({
            node_key: fc.constant(nodes[i]!.key),
            subscription_id: fc.constant(hashText(`subscription ${i}`)),
            owner: fc.constant(addressOf(`owner ${i}`)),
            payout_address: fc.constant(addressOf(`payout ${i}`)),
            collateral: fc
              .oneof(fc.constantFrom(enough - 1n, enough), fc.bigInt({ min: enough, max: 9n * enough }))
              .map(String),
            reputation: fc.integer({ min: 1_000, max: 10_000 }),
            paused: fc.constantFrom(false, false, false, true),
            faulty: fc.constantFrom(false, false, false, true),
            binding: fc.option(
              fc.record({
                binding_hash: fc.constant(hashText(`binding ${i}`)),
                owner: fc.constantFrom(
                  addressOf(`owner ${i}`),
                  addressOf(`owner ${i}`),
                  addressOf('another'),
                ),
                public_key: fc.constantFrom(nodes[i]!.key, nodes[i]!.key, nodes[(i + 1) % nodes.length]!.key),
              }),
            ),
          }),
        ),
      )
      .chain((list) => fc.shuffledSubarray(list, { minLength: list.length })),
  )
