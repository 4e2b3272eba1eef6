/** Section 17: what nodes sign about a round. This file is the section's front door. */
export * from './execution-vote.ts'
export * from './round-vote.ts'
export * from './task-vote.ts'
