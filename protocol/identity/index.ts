/** Who is who: the network and its parameters, ids, devices, wallets, signed requests (sections 1, 4, 5, 7, 9, 10, 26). */
export * from './binding.ts'
export * from './ids.ts'
export * from './network-params.ts'
export * from './preferences.ts'
export * from './profile.ts'
export * from './request-signing.ts'
export * from './siwe.ts'
export * from './siwe-message.ts'
