/** Remembers the environment and the working directory of this process, and gives what puts them back. */
export function keepProcess(): () => void {
  const env = { ...process.env }
  const cwd = process.cwd()
  return () => {
    process.chdir(cwd)
    for (const name of Object.keys(process.env)) if (!Object.hasOwn(env, name)) delete process.env[name]
    Object.assign(process.env, env)
  }
}
