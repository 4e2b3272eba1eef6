import * as z from 'zod'
import { example } from '../../examples.ts'
import { Amount, Bytes32, Timestamp, TokenView } from '../../http/formats.ts'
import { tokenExample } from '../projects/example.ts'

export const Faucet = z
  .strictObject({
    enabled: z.boolean(),
    token: TokenView.nullable().describe('Null while this hub has no chain.'),
    amount: Amount,
    eth_amount: Amount.describe('Native currency; a drip leaves it out while the hub has little.'),
    cooldown_secs: z.int(),
    eligible: z.boolean().describe('Whether the calling wallet may ask now.'),
    next_eligible_at: Timestamp.nullable().describe(
      'Time from which the wallet may ask again; null if it need not wait, and without a session.',
    ),
  })
  .meta({ id: 'Faucet' })

export const faucetExample: z.output<typeof Faucet> = {
  enabled: true,
  token: tokenExample,
  amount: '1000000000000000000000',
  eth_amount: '10000000000000000',
  cooldown_secs: 86_400,
  eligible: false,
  next_eligible_at: example.time,
}

export const Drip = z
  .strictObject({
    tx_hash: Bytes32,
    amount: Amount,
    eth_tx_hash: Bytes32.optional(),
    eth_amount: Amount,
    next_eligible_at: Timestamp,
  })
  .meta({ id: 'FaucetDrip' })
