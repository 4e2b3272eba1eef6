import type { Address } from 'viem'
import type { LocalAccount } from 'viem/accounts'
import type { NetworkParams, Profile } from '../protocol/identity/index.ts'

/** Accounts that may do what not everyone may. The same account may have several roles. */
export interface Roles {
  /** Gives and takes roles in every contract, each time announced in the timelock. The hub has no use for its key. */
  readonly admin: Address
  /** Takes any role but the admin's away at once, and can do nothing else. */
  readonly guardian: Address
  /** Creates tokens. */
  readonly minter: Address
  /** Gives tokens out of the faucet. */
  readonly dripper: Address
  /** Sets the listing status of projects. */
  readonly reviewer: Address
  /** Proposes slashes. */
  readonly proposer: Address
  /** Decides about slashes, vetoes epochs, and pauses either. Not the relayer's, whose errors it is there for. */
  readonly arbiter: Address
  /** Posts epochs, and opens vaults for developers. */
  readonly poster: Address
}

export interface DeployOptions {
  readonly rpcUrl: string
  /** Pays for the deployment. Holds no role unless `roles` says so. */
  readonly account: LocalAccount
  /** Gives the token's names, the domains and the tag of project ids. */
  readonly profile: Profile
  /** Gives the times that contracts enforce. */
  readonly params: NetworkParams
  /** Receives the network's fees and slashed collateral. */
  readonly treasury: Address
  /** Admin and arbiter are named each time. The admin is the guardian too, and the deploying account has the other roles, where these are left out. */
  readonly roles: Pick<Roles, 'admin' | 'arbiter'> & Partial<Roles>
  /** Tokens that the faucet begins with. */
  readonly faucetSupplyWei: bigint
  /** Tokens that accounts begin with. Needs the deploying account as minter. */
  readonly grants?: readonly Grant[]
  /** Notice before a developer takes funds out of a vault. */
  readonly withdrawalNoticeSecs?: number
  /** Goes on with a deployment that was interrupted: what it was begun with. */
  readonly resume?: Beginning
  /** For tests, whose signatures outlive the unbonding: takes a time in which a fault cannot be proven. */
  readonly allowShortUnbonding?: boolean
}

/** The first nonce of a deployment, which determines its addresses, and the block before it. */
export interface Beginning {
  readonly nonce: number
  readonly block: number
}

export interface Grant {
  readonly to: Address
  readonly amountWei: bigint
}

/** Lower-case addresses under the hub's names for them. */
export interface ContractAddresses {
  readonly token: Address
  readonly faucet: Address
  readonly project_registry: Address
  readonly vault_factory: Address
  readonly vault_implementation: Address
  readonly staking: Address
  readonly treasury: Address
}
