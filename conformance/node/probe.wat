;; The module that a node under test runs. Its functions, by func_id: abort digest echo fail mix spin trap.
(module
  (type $step (func (param i64 i32) (result i64)))
  (import "hive" "emit" (func $emit (param i32 i32 i32 i32)))
  (import "hive" "abort" (func $abort (param i32 i32)))
  (import "crypto" "hash" (func $hash (param i32 i32) (result i64)))
  (memory (export "memory") 8 16)
  (table 2 funcref)
  (elem (i32.const 0) $stir $turn)
  (data (i32.const 16) "mixed") (data (i32.const 32) "{\22n\22:1}") (data (i32.const 48) "as asked")
  (global $heap (mut i32) (i32.const 1024))

  (func (export "__alloc") (param i32) (result i32)
    (global.get $heap)
    (global.set $heap (i32.add (global.get $heap) (local.get 0))))

  (func $text (param $ptr i32) (param $len i32) (result i64)
    (i64.or (i64.shl (i64.extend_i32_u (local.get $ptr)) (i64.const 32)) (i64.extend_i32_u (local.get $len))))

  (func $stir (type $step)
    (i64.mul (i64.xor (local.get 0) (i64.extend_i32_u (local.get 1))) (i64.const 0x100000001b3)))

  (func $turn (type $step)
    (i64.add (i64.rotl (local.get 0) (i64.extend_i32_u (local.get 1))) (i64.popcnt (local.get 0))))

  ;; A hash of the input, byte by byte, with one of two functions of the table; 16 hex digits.
  (func $mix (param $ptr i32) (param $len i32) (result i64)
    (local $sum i64) (local $byte i32) (local $end i32)
    (local.set $sum (i64.const -3750763034362895579))
    (local.set $end (i32.add (local.get $ptr) (local.get $len)))
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $ptr) (local.get $end)))
        (local.set $byte (i32.load8_u (local.get $ptr)))
        (local.set $sum
          (call_indirect (type $step) (local.get $sum) (local.get $byte) (i32.and (local.get $byte) (i32.const 1))))
        (if (i32.eq (i32.rem_u (local.get $byte) (i32.const 7)) (i32.const 3))
          (then (local.set $sum (i64.sub (local.get $sum) (i64.const 1))))
          (else (local.set $sum (i64.xor (local.get $sum) (i64.shr_u (local.get $sum) (i64.const 29))))))
        (local.set $ptr (i32.add (local.get $ptr) (i32.const 1)))
        (br $next)))
    (local.set $ptr (i32.const 64))
    (loop $digit
      (i32.store8 (local.get $ptr)
        (i32.add
          (local.tee $byte (i32.wrap_i64 (i64.and (local.get $sum) (i64.const 15))))
          (select (i32.const 48) (i32.const 87) (i32.lt_u (local.get $byte) (i32.const 10)))))
      (local.set $sum (i64.shr_u (local.get $sum) (i64.const 4)))
      (br_if $digit (i32.lt_u (local.tee $ptr (i32.add (local.get $ptr) (i32.const 1))) (i32.const 80))))
    (call $emit (i32.const 16) (i32.const 5) (i32.const 32) (i32.const 7))
    (call $emit (i32.const 16) (i32.const 5) (i32.const 32) (i32.const 7))
    (call $text (i32.const 64) (i32.const 16)))

  (func (export "__hive_entry") (param $id i32) (param $ptr i32) (param $len i32) (result i64)
    (block $trap
      (block $spin
        (block $mix
          (block $fail
            (block $echo
              (block $digest
                (block $abort
                  (br_table $abort $digest $echo $fail $mix $spin $trap (local.get $id)))
                (call $abort (i32.const 48) (i32.const 8)))
              (return (call $hash (local.get $ptr) (local.get $len))))
            (return (call $text (local.get $ptr) (local.get $len))))
          (call $emit (i32.const 16) (i32.const 5) (i32.const 32) (i32.const 7))
          (return (i64.const -7)))
        (return (call $mix (local.get $ptr) (local.get $len))))
      (loop $again (br $again)))
    (i64.extend_i32_u (i32.div_u (local.get $len) (i32.const 0)))))
