import type { HubContext } from '../../context.ts'

type Hub = { var: Pick<HubContext['var'], 'services' | 'settings'> }

export interface FaucetTerms {
  enabled: boolean
  amountWei: bigint
  nativeWei: bigint
  cooldownSecs: number
}

/** As an operator set it, and as the deployment has it where none did. */
export async function faucetTerms(c: Hub): Promise<FaucetTerms> {
  const { settings } = c.var
  const set = await c.var.services.faucetSettings.find()
  return {
    enabled: set?.enabled ?? settings.FAUCET_ENABLED,
    amountWei: BigInt(set?.amountWei ?? settings.FAUCET_AMOUNT_WEI),
    nativeWei: BigInt(set?.nativeWei ?? settings.FAUCET_NATIVE_WEI),
    cooldownSecs: set?.cooldownSecs ?? settings.FAUCET_COOLDOWN_SECONDS,
  }
}
