/** The categories a listing may name (`listing.category` of a project manifest), in the order they are shown. */
export const categories = [
  'blockchain',
  'depin',
  'machine-learning',
  'storage',
  'compute',
  'bandwidth',
  'data-sovereignty',
  'iot',
  'hardware-staking',
  'content-delivery',
] as const
export type Category = (typeof categories)[number]
