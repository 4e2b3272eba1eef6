;; Recursion through the host: every hash is written where __alloc says, and __alloc hashes. It ends where the guest's
;; stack ends, thousands of calls of the host deep, and not where the node's does.
(module
  (import "crypto" "hash" (func $hash (param i32 i32) (result i64)))
  (memory (export "memory") 1)
  (func (export "__alloc") (param i32) (result i32)
    (drop (call $hash (i32.const 0) (i32.const 1)))
    (i32.const 1024))
  (func (export "__hive_entry") (param i32 i32 i32) (result i64)
    (drop (call $hash (i32.const 0) (i32.const 1)))
    (i64.const 0)))
