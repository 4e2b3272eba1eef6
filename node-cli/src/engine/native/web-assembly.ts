interface WebAssemblyNamespace {
  readonly Module: new (bytes: Uint8Array) => object
  readonly Instance: new (
    module: object,
    imports: object,
  ) => { readonly exports: Readonly<Record<string, unknown>> }
  readonly CompileError: new () => Error
  readonly RuntimeError: new () => Error
  readonly validate: (bytes: Uint8Array) => boolean
}

/** V8's own object, which the project's types have no browser library to name. */
export const webAssembly = (globalThis as unknown as { WebAssembly: WebAssemblyNamespace }).WebAssembly
