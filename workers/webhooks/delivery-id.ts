import type { Delivery } from '../stores/webhooks.ts'

/** Names a delivery for its receiver too. It has the time, because a database that was restored gives numbers again. */
export const deliveryId = ({
  webhookId,
  number,
  createdAt,
}: Pick<Delivery, 'webhookId' | 'number' | 'createdAt'>): string => `msg_${webhookId}_${number}_${createdAt}`

export const deliveryIdPattern = /^msg_[A-Za-z0-9]{16}_[1-9][0-9]{0,14}_[0-9]{1,12}$/

/** The number in an id. */
export const numberOf = (id: string): number => Number(id.split('_')[2])
