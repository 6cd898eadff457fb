;; The dot product of every row of a table of signed bytes with one vector, sixteen numbers at a time.
;; dot-products.wasm.ts holds this module as bytes. After a change: node scripts/build-wasm.ts
(module
  (import "memory" "memory" (memory 1))
  (func (export "products")
    (param $row i32)    ;; Address of the first row.
    (param $vector i32) ;; Address of the vector.
    (param $out i32)    ;; Where the products go, four bytes each.
    (param $count i32)  ;; Number of rows.
    (param $width i32)  ;; Bytes of a row and of the vector, a multiple of 16.
    (local $offset i32)
    (local $sums v128)  ;; Four sums that together are the product.
    (local $left v128)
    (local $right v128)
    (block $done
      (br_if $done (i32.eqz (local.get $count)))
      (loop $next_row
        (local.set $sums (v128.const i32x4 0 0 0 0))
        (local.set $offset (i32.const 0))

        (loop $next_sixteen
          (local.set $left (v128.load (i32.add (local.get $row) (local.get $offset))))
          (local.set $right (v128.load (i32.add (local.get $vector) (local.get $offset))))
          ;; The product of two bytes fits in 16 bits: eight products at a time, added in pairs to 32 bits.
          (local.set $sums
            (i32x4.add
              (i32x4.add
                (local.get $sums)
                (i32x4.extadd_pairwise_i16x8_s (i16x8.extmul_low_i8x16_s (local.get $left) (local.get $right))))
              (i32x4.extadd_pairwise_i16x8_s (i16x8.extmul_high_i8x16_s (local.get $left) (local.get $right)))))
          (br_if $next_sixteen
            (i32.lt_u
              (local.tee $offset (i32.add (local.get $offset) (i32.const 16)))
              (local.get $width))))

        (i32.store
          (local.get $out)
          (i32.add
            (i32.add
              (i32.add
                (i32x4.extract_lane 0 (local.get $sums))
                (i32x4.extract_lane 1 (local.get $sums)))
              (i32x4.extract_lane 2 (local.get $sums)))
            (i32x4.extract_lane 3 (local.get $sums))))
        (local.set $out (i32.add (local.get $out) (i32.const 4)))
        (local.set $row (i32.add (local.get $row) (local.get $width)))
        (br_if $next_row
          (local.tee $count (i32.sub (local.get $count) (i32.const 1))))))))
