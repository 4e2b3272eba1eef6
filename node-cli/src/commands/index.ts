import type { CommandEntry } from '../cli/command.ts'

/** Every command, loaded when it is called. */
export const commands: Readonly<Record<string, CommandEntry>> = {
  compile: {
    description: 'Compile an AssemblyScript module into an artifact',
    load: () => import('./compile.ts'),
  },
  run: {
    description: 'Run one function of an artifact and print the signed receipt',
    load: () => import('./run.ts'),
  },
  verify: {
    description: 'Run a function again and say whether a receipt holds',
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
  completion: {
    description: 'Print a completion script for bash, zsh or fish',
    load: async () => ({ default: (await import('./completion.ts')).completionFor(commands) }),
  },
}
