;; As deep as anything gets: in each of nine instances on top of each other, 9300 calls of the host within each other
;; before the next instance is called. The calls read the storage, which takes less time than to hash, and as much stack.
;; Takes the address of the module as input, and answers "ok" when all have returned.
(module
  (import "storage" "set" (func $set (param i32 i32 i32 i32)))
  (import "storage" "get" (func $get (param i32 i32) (result i64)))
  (import "hive" "call" (func $call (param i32 i32 i32 i32 i32 i32) (result i64)))
  (memory (export "memory") 1)
  (data (i32.const 0) "okf")
  (global $down (mut i32) (i32.const 0))
  (func $next
    (global.set $down (i32.const 0))
    (drop (call $call (i32.const 1024) (i32.const 66) (i32.const 2) (i32.const 1) (i32.const 1024) (i32.const 66))))
  (func (export "__alloc") (param i32) (result i32)
    (if (i32.eqz (global.get $down)) (then (return (i32.const 1024))))
    (global.set $down (i32.sub (global.get $down) (i32.const 1)))
    (if (global.get $down) (then (drop (call $get (i32.const 0) (i32.const 1)))) (else (call $next)))
    (i32.const 2048))
  (func (export "__hive_entry") (param i32 i32 i32) (result i64)
    (call $set (i32.const 0) (i32.const 1) (i32.const 0) (i32.const 1))
    (global.set $down (i32.const 9300))
    (drop (call $get (i32.const 0) (i32.const 1)))
    (i64.const 2)))
