/** Values that a browser keeps for the next visit. If storage is blocked, nothing is kept and nothing fails. */
export function read(name: string): string | null {
  try {
    return localStorage.getItem(name)
  } catch {
    return null
  }
}

export function keep(name: string, value: string): void {
  try {
    localStorage.setItem(name, value)
  } catch {}
}

export function drop(name: string): void {
  try {
    localStorage.removeItem(name)
  } catch {}
}

/** The kept value, read as JSON; null if it is missing or is not JSON. */
export function readJson(name: string): unknown {
  try {
    return JSON.parse(read(name) ?? 'null')
  } catch {
    return null
  }
}
