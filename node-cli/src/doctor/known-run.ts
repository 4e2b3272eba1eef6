import { hexToBytes, utf8 } from '../../../protocol/encoding/index.ts'

/**
 * A run whose receipt is known: a module that gives back its input and emits it as an event. A machine on which it comes out
 * otherwise would vote against everybody else.
 */
export const knownRun = {
  address: '0x8a9321e60b20d30e14ebb65002b6cec307fdf8a93b9f6e23279c6a1b8ee1b454',
  module: {
    wasm: hexToBytes(
      '0x0061736d0100000001140360047f7f7f7f0060017f017f60037f7f7f017e020d01046869766504656d69740000030302010205030100010607017f014180080b072303066d656d6f72790200075f5f616c6c6f6300010c5f5f686976655f656e74727900020a2a021101017f23002101230020006a240020010b1600411041062001200210002001ad4220862002ad840b0b0c010041100b066563686f6564002c046e616d650107010004656d6974021502010200016e01017002030002696401017002016c07050100026870',
    ),
    functions: ['echo'],
  },
  function: 'echo',
  input: utf8('{"known":"answer"}'),
  gasLimit: 1_000_000,
} as const

export const knownReceiptHash = '0x8de2780e36b28495475c70002da7aabdec00347a13e4b7b9b4ce48f78e381afd'
