/** Value types a guest module may use. */
export type ValueType = 'i32' | 'i64' | 'f32' | 'f64' | 'v128' | 'funcref' | 'externref'

/** Types of references, which are also the types of tables. */
export type ReferenceType = 'funcref' | 'externref'

/** The proposals whose operators a guest module may use; `mvp` is the first version of WebAssembly. */
export type Feature =
  | 'mvp'
  | 'sign-extension'
  | 'saturating-float-to-int'
  | 'bulk-memory'
  | 'reference-types'
  | 'simd'
  | 'tail-calls'

/**
 * The immediates that follow an opcode in the code, in order.
 *
 * | kind            | encoding                                                             |
 * | --------------- | -------------------------------------------------------------------- |
 * | `none`          | nothing                                                              |
 * | `block`         | block type: `40`, a value type byte, or a type index as s33          |
 * | `label`         | label depth, u32                                                     |
 * | `labels`        | count u32, that many label depths, then the default depth            |
 * | `function`      | function index, u32                                                  |
 * | `type-table`    | type index u32, table index u32                                      |
 * | `value-types`   | count u32, that many value type bytes                                |
 * | `local`         | local index, u32                                                     |
 * | `global`        | global index, u32                                                    |
 * | `table`         | table index, u32                                                     |
 * | `memarg`        | alignment exponent u32, offset u32                                   |
 * | `memarg-lane`   | as `memarg`, then one lane byte                                      |
 * | `memory`        | memory index, the byte 0                                             |
 * | `memory-memory` | two memory indices                                                   |
 * | `data-memory`   | data segment index u32, memory index                                 |
 * | `data`          | data segment index, u32                                              |
 * | `element-table` | element segment index u32, table index u32                           |
 * | `element`       | element segment index, u32                                           |
 * | `table-table`   | destination table index u32, source table index u32                  |
 * | `reference`     | reference type byte, `70` or `6f`                                    |
 * | `i32`           | s32                                                                  |
 * | `i64`           | s64                                                                  |
 * | `f32`           | 4 bytes                                                              |
 * | `f64`           | 8 bytes                                                              |
 * | `v128`          | 16 bytes                                                             |
 * | `shuffle`       | 16 lane bytes, each below 32                                         |
 * | `lane`          | one lane byte, below {@link Operator.lanes}                          |
 */
export type Immediates =
  | 'none'
  | 'block'
  | 'label'
  | 'labels'
  | 'function'
  | 'type-table'
  | 'value-types'
  | 'local'
  | 'global'
  | 'table'
  | 'memarg'
  | 'memarg-lane'
  | 'memory'
  | 'memory-memory'
  | 'data-memory'
  | 'data'
  | 'element-table'
  | 'element'
  | 'table-table'
  | 'reference'
  | 'i32'
  | 'i64'
  | 'f32'
  | 'f64'
  | 'v128'
  | 'shuffle'
  | 'lane'

/**
 * A run of operators with consecutive opcodes and one signature.
 *
 * The names are separated by blanks, `-` leaves an opcode out, and `name/4` states an access of 4 bytes.
 */
export type OperatorRow = readonly [
  firstCode: number,
  feature: Feature,
  immediates: Immediates,
  pops: string,
  pushes: string,
  names: string,
]
