/** The module that workerd offers to test runners with the compatibility flag `unsafe_module`. */
declare module 'workerd:unsafe' {
  const unsafe: {
    /** Has an object leave the memory once nobody uses it. */
    evict: (stub: DurableObjectStub, options: { webSockets: 'hibernate' | 'close' }) => Promise<void>
  }
  export default unsafe
}
