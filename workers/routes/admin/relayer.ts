import * as z from 'zod'
import { example } from '../../examples.ts'
import { json } from '../../http/answer.ts'
import { Address, Timestamp } from '../../http/formats.ts'
import { defineRoute, ok } from '../../route.ts'
import { DeadLetterView, deadLetterView } from './dead-letters.ts'
import { ofOperators } from './schema.ts'

const lettersShown = 50

const RelayerView = z
  .strictObject({
    relayer: z
      .strictObject({
        status: z.enum(['ok', 'unavailable']),
        signer: Address.nullable(),
        balance: z.nullable(z.string()).describe('Native base units; null while the chain is down.'),
        open: z.int().describe('Actions that are not final.'),
        undecided: z
          .int()
          .describe(
            'Open actions whose nonce was used at least ten minutes ago, by a transaction that no node reports. If this is above 0, the relayer is unavailable.',
          ),
        overdue: z
          .int()
          .describe(
            'Actions that are not in a block ten minutes after their acceptance. If this is above 0, the relayer is unavailable.',
          ),
        oldest_open_at: Timestamp.nullable(),
        next_nonce: z.int(),
        gas_today: z.int().describe('Gas of actions that the hub relayed for wallets since 00:00 UTC.'),
        gas_per_day: z.int().describe('Limit of `gas_today`.'),
      })
      .nullable()
      .describe('Null if this hub relays nothing.'),
    dead_letters: z
      .array(DeadLetterView)
      .describe(
        `Dead letters (messages that failed every attempt): the newest ${lettersShown} unresolved ones.`,
      ),
  })
  .meta({ id: 'RelayerState' })

export const getRelayer = defineRoute(
  {
    method: 'get',
    path: '/admin/v1/relayer',
    operationId: 'getRelayer',
    summary: 'Show the relayer and the dead letters',
    description: 'Its key, its balance, its open actions, and the messages that failed.',
    ...ofOperators,
    responses: ok('The relayer and the dead letters as of now.', RelayerView, {
      relayer: {
        status: 'ok',
        signer: example.relayer,
        balance: '99500000000000000000',
        open: 2,
        undecided: 0,
        overdue: 0,
        oldest_open_at: example.time,
        next_nonce: 214,
        gas_today: 18_250_000,
        gas_per_day: 1_000_000_000,
      },
      dead_letters: [],
    }),
  },
  async (c) => {
    const { relayer, deadLetters } = c.var.services
    const letters = await deadLetters.unresolved(undefined, lettersShown)
    const health = await relayer?.health(true)
    return json({
      relayer: health
        ? {
            status: health.status,
            signer: health.signer,
            balance: health.balanceWei,
            open: health.open,
            undecided: health.undecided,
            overdue: health.overdue,
            oldest_open_at: health.oldestOpenAt,
            next_nonce: health.nextNonce,
            gas_today: health.gasToday,
            gas_per_day: health.gasPerDay,
          }
        : null,
      dead_letters: letters.map(deadLetterView),
    })
  },
)
