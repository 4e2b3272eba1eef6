import { chain, followChain } from './chain.ts'

// The chain is one for all files, and those before have moved its time.
if (chain !== null) await followChain()
