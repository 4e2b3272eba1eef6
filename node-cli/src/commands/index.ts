import type { Commands } from '../cli/command.ts'

/** Every command, loaded when it is called. */
export const commands: Commands = {
  compile: {
    description: 'Compile an AssemblyScript module into an artifact',
    load: () => import('./compile.ts'),
  },
  dev: {
    description: 'Compile a module on every change, run its samples and show their gas',
    load: () => import('./dev.ts'),
  },
  run: {
    description: 'Run one function of an artifact and print the signed receipt',
    load: () => import('./run.ts'),
  },
  verify: {
    description: 'Run a function again and check its receipt',
    load: () => import('./verify.ts'),
  },
  inspect: {
    description: 'Check an artifact and show its manifest and address',
    load: () => import('./inspect.ts'),
  },
  serve: {
    description: 'Run a node: its HTTP API, and its work for the network',
    load: () => import('./serve.ts'),
  },
  keygen: {
    description: 'Create the key of a node if it has none, and show its identity',
    load: () => import('./keygen.ts'),
  },
  id: { description: 'Show the identity of a node', load: () => import('./id.ts') },
  bind: { description: 'Bind the node to the wallet it mines for', load: () => import('./bind.ts') },
  unbind: {
    description: 'End the binding of the node to its wallet; its own key is enough',
    load: () => import('./unbind.ts'),
  },
  register: {
    description: 'Register the node with the hub, as serve does at its start',
    load: () => import('./register.ts'),
  },
  status: {
    description: 'Show the state of a running node, and the projects that its device works for',
    load: () => import('./status.ts'),
  },
  why: {
    description: 'Say why the node gets no work or no reward, as hub and node see it',
    load: () => import('./why.ts'),
  },
  earnings: {
    description: 'List what the payout address of the node, with all its devices, has earned in each epoch',
    load: () => import('./earnings.ts'),
  },
  claim: {
    description: 'Show the payouts that can be claimed, and claim them with the key of the wallet',
    load: () => import('./claim.ts'),
  },
  doctor: {
    description: 'Check this machine, the data directory and the hub, and say how to mend what is wrong',
    load: () => import('./doctor.ts'),
  },
  service: {
    description: 'Print the files that run serve as a service: systemd, launchd or env',
    load: () => import('./service.ts'),
  },
  conform: {
    description: 'Test a node, a validator or a hub in any language against the clauses of the protocol',
    load: () => import('./conform.ts'),
  },
  help: {
    description: 'Show the commands, or the help of one',
    load: async () => ({ default: (await import('./help.ts')).helpFor(commands) }),
  },
  completion: {
    description: 'Print a completion script for bash, zsh or fish',
    load: async () => ({ default: (await import('./completion.ts')).completionFor(commands) }),
  },
}
