;; Bulk memory: fill, copy with overlap, passive segments, their end, and growth. Answers "ok", or the number of the
;; check that failed as an error code.
(module
  (memory (export "memory") 1 3)
  (data (i32.const 0) "ok")
  (data $passive "abcdef")
  (func (export "__alloc") (param i32) (result i32) (i32.const 1024))
  (func (export "__hive_entry") (param i32 i32 i32) (result i64)
    (memory.fill (i32.const 100) (i32.const 0x1ff) (i32.const 8))
    (if (i64.ne (i64.load (i32.const 100)) (i64.const -1)) (then (return (i64.const -1))))
    (memory.init $passive (i32.const 200) (i32.const 1) (i32.const 4))
    (if (i32.ne (i32.load (i32.const 200)) (i32.const 0x65646362)) (then (return (i64.const -2))))
    ;; Source and target overlap: as if copied through a buffer.
    (memory.copy (i32.const 202) (i32.const 200) (i32.const 4))
    (if (i64.ne (i64.load (i32.const 200)) (i64.const 0x656463626362)) (then (return (i64.const -3))))
    (data.drop $passive)
    ;; Nothing of a dropped segment is still something.
    (memory.init $passive (i32.const 0) (i32.const 0) (i32.const 0))
    (if (i32.ne (memory.grow (i32.const 2)) (i32.const 1)) (then (return (i64.const -4))))
    (if (i32.ne (memory.grow (i32.const 1)) (i32.const -1)) (then (return (i64.const -5))))
    (if (i32.ne (memory.size) (i32.const 3)) (then (return (i64.const -6))))
    (if (i32.load (i32.const 196604)) (then (return (i64.const -7))))
    (i64.const 2)))
