import { AccountProfileStore } from './account-profiles.ts'
import type { Database } from './database.ts'
import { DeviceGroupStore } from './device-groups.ts'
import { EarningStore } from './earnings.ts'
import { NewSubscriptionStore } from './new-subscriptions.ts'
import { SearchStore } from './search.ts'
import { StandingStore } from './standings.ts'
import { SubscriptionLists } from './subscription-lists.ts'

/** Stores of few routes; the hub starts without their code. */
export const createLateStores = (db: Database) => ({
  accountProfiles: new AccountProfileStore(db),
  deviceGroups: new DeviceGroupStore(db),
  earnings: new EarningStore(db),
  newSubscriptions: new NewSubscriptionStore(db),
  search: new SearchStore(db),
  standings: new StandingStore(db),
  subscriptionLists: new SubscriptionLists(db),
})

export type LateStores = ReturnType<typeof createLateStores>
