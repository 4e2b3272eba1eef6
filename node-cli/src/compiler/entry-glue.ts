import type { GuestFunction, GuestFunctions } from './guest-functions.ts'
import { sourceSpecifier } from './source-files.ts'

/** The module asc compiles: it dispatches the node's call to the functions of the source. */
export function entryGlue(guest: GuestFunctions): string {
  const { imports, cases } =
    guest.dialect === 'exported' ? exportedGlue(guest.functions) : definedGlue(guest.names)
  return `${imports}

export function __alloc(len: i32): i32 {
  return <i32>heap.alloc(<usize>len);
}

function read(ptr: i32, len: i32): string {
  return len == 0 ? "" : String.UTF8.decodeUnsafe(<usize>ptr, <usize>len);
}

function write(output: string): i64 {
  const bytes = String.UTF8.encode(output, false, String.UTF8.ErrorMode.REPLACE);
  return bytes.byteLength == 0 ? 0 : (<i64>changetype<usize>(bytes) << 32) | <i64>bytes.byteLength;
}

export function __hive_entry(func: i32, ptr: i32, len: i32): i64 {
  switch (func) {
${cases.join('\n')}
  }
  return -1;
}
`
}

interface Glue {
  imports: string
  cases: readonly string[]
}

/** Renamed, so that no name of the source meets one of the glue. */
const exportedGlue = (functions: readonly GuestFunction[]): Glue => ({
  imports: `import { ${functions.map(({ name }, id) => `${name} as guest${id}`).join(', ')} } from "${sourceSpecifier}";`,
  cases: functions.map(({ takesInput, givesOutput }, id) => {
    const invocation = `guest${id}(${takesInput ? 'read(ptr, len)' : ''})`
    return givesOutput
      ? `    case ${id}: return write(${invocation});`
      : `    case ${id}: ${invocation}; return 0;`
  }),
})

/** The source defines its functions when it is loaded. */
const definedGlue = (names: readonly string[]): Glue => ({
  imports: `import "${sourceSpecifier}";\nimport { __handler } from "hivekit";`,
  cases: names.map((name, id) => `    case ${id}: return write(__handler("${name}")(read(ptr, len)));`),
})
