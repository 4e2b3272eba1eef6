/** `npm run nodectl`: the tool from its sources, with paths relative to where the command was given. */
if (process.env.INIT_CWD) process.chdir(process.env.INIT_CWD)
await import('../node-cli/src/main.ts')

export {}
