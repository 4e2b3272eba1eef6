/** Files that tests read as text. */
declare module '*.md?raw' {
  const text: string
  export default text
}

declare module '*.example?raw' {
  const text: string
  export default text
}

declare module '*.json?raw' {
  const text: string
  export default text
}
