import { runBulk } from './bulk'
import { growMemory, machine, Status, Trap, trapped } from './machine'
import { Op } from './opcodes'
import { cost, double, first, left, loadPlace, put, right, single, storePlace, third } from './slots'
import { finish, host, indirect, mayPause, pause } from './transfers'
import { runVector } from './vector'

/**
 * The main loop. `fuel` is the gas of the running activation: what is known while translating is added to it at
 * branches, and it is saved at calls and returns, so that a trap reports what was saved before it.
 */
export function run(start: u32, frame: u32, gas: i64): Status {
  let pc = start
  let fp = frame
  let fuel = gas
  let bound = machine.bound
  let calls = machine.calls
  let units = machine.units
  let size = machine.memoryBytes
  const base = machine.memoryBase
  while (true) {
    const word = load<u32>(pc)
    switch (word & 0xffff) {
      case Op.fuel: { fuel += <i64>load<u32>(pc, 4); pc += 8; break }
      case Op.enter: {
        if (fuel + 1 >= bound) return pause(pc, fp, fuel, calls, units)
        fuel += 1
        units -= load<i32>(pc, 4)
        if (units < 0) {
          machine.saved = fuel + 8
          return Status.stackLimit
        }
        const end = fp + load<u32>(pc, 12)
        for (let local = fp + load<u32>(pc, 8); local < end; local += 16) v128.store(local, i32x4.splat(0))
        pc += 16
        break
      }
      case Op.loop: { if (fuel >= bound) return pause(pc, fp, fuel, calls, units); pc += 4; break }
      case Op.poll: { pc += 4; if (mayPause(fuel, bound)) return pause(pc, fp, fuel, calls, units); break }
      case Op.br: { fuel += cost(word); pc = load<u32>(pc, 4); break }
      case Op.br_if: { fuel += cost(word); if (first<i32>(pc, fp) != 0) pc = load<u32>(pc, 8); else pc += 12; break }
      case Op.br_ifz: { fuel += cost(word); if (first<i32>(pc, fp) == 0) pc = load<u32>(pc, 8); else pc += 12; break }
      case Op.br_i32_eq: { fuel += cost(word); if (first<i32>(pc, fp) == left<i32>(pc, fp)) pc = load<u32>(pc, 12); else pc += 16; break }
      case Op.br_i32_eq_c: { fuel += cost(word); if (first<i32>(pc, fp) == load<i32>(pc, 8)) pc = load<u32>(pc, 12); else pc += 16; break }
      case Op.br_i32_ne: { fuel += cost(word); if (first<i32>(pc, fp) != left<i32>(pc, fp)) pc = load<u32>(pc, 12); else pc += 16; break }
      case Op.br_i32_ne_c: { fuel += cost(word); if (first<i32>(pc, fp) != load<i32>(pc, 8)) pc = load<u32>(pc, 12); else pc += 16; break }
      case Op.br_i32_lt_s: { fuel += cost(word); if (first<i32>(pc, fp) < left<i32>(pc, fp)) pc = load<u32>(pc, 12); else pc += 16; break }
      case Op.br_i32_lt_s_c: { fuel += cost(word); if (first<i32>(pc, fp) < load<i32>(pc, 8)) pc = load<u32>(pc, 12); else pc += 16; break }
      case Op.br_i32_lt_u: { fuel += cost(word); if (first<u32>(pc, fp) < left<u32>(pc, fp)) pc = load<u32>(pc, 12); else pc += 16; break }
      case Op.br_i32_lt_u_c: { fuel += cost(word); if (first<u32>(pc, fp) < load<u32>(pc, 8)) pc = load<u32>(pc, 12); else pc += 16; break }
      case Op.br_i32_ge_s: { fuel += cost(word); if (first<i32>(pc, fp) >= left<i32>(pc, fp)) pc = load<u32>(pc, 12); else pc += 16; break }
      case Op.br_i32_ge_s_c: { fuel += cost(word); if (first<i32>(pc, fp) >= load<i32>(pc, 8)) pc = load<u32>(pc, 12); else pc += 16; break }
      case Op.br_i32_ge_u: { fuel += cost(word); if (first<u32>(pc, fp) >= left<u32>(pc, fp)) pc = load<u32>(pc, 12); else pc += 16; break }
      case Op.br_i32_ge_u_c: { fuel += cost(word); if (first<u32>(pc, fp) >= load<u32>(pc, 8)) pc = load<u32>(pc, 12); else pc += 16; break }
      case Op.br_i64_eq: { fuel += cost(word); if (first<i64>(pc, fp) == left<i64>(pc, fp)) pc = load<u32>(pc, 12); else pc += 16; break }
      case Op.br_i64_eq_c: { fuel += cost(word); if (first<i64>(pc, fp) == <i64>load<i32>(pc, 8)) pc = load<u32>(pc, 12); else pc += 16; break }
      case Op.br_i64_ne: { fuel += cost(word); if (first<i64>(pc, fp) != left<i64>(pc, fp)) pc = load<u32>(pc, 12); else pc += 16; break }
      case Op.br_i64_ne_c: { fuel += cost(word); if (first<i64>(pc, fp) != <i64>load<i32>(pc, 8)) pc = load<u32>(pc, 12); else pc += 16; break }
      case Op.br_i64_lt_s: { fuel += cost(word); if (first<i64>(pc, fp) < left<i64>(pc, fp)) pc = load<u32>(pc, 12); else pc += 16; break }
      case Op.br_i64_lt_s_c: { fuel += cost(word); if (first<i64>(pc, fp) < <i64>load<i32>(pc, 8)) pc = load<u32>(pc, 12); else pc += 16; break }
      case Op.br_i64_lt_u: { fuel += cost(word); if (first<u64>(pc, fp) < left<u64>(pc, fp)) pc = load<u32>(pc, 12); else pc += 16; break }
      case Op.br_i64_lt_u_c: { fuel += cost(word); if (first<u64>(pc, fp) < <u64><i64>load<i32>(pc, 8)) pc = load<u32>(pc, 12); else pc += 16; break }
      case Op.br_i64_ge_s: { fuel += cost(word); if (first<i64>(pc, fp) >= left<i64>(pc, fp)) pc = load<u32>(pc, 12); else pc += 16; break }
      case Op.br_i64_ge_s_c: { fuel += cost(word); if (first<i64>(pc, fp) >= <i64>load<i32>(pc, 8)) pc = load<u32>(pc, 12); else pc += 16; break }
      case Op.br_i64_ge_u: { fuel += cost(word); if (first<u64>(pc, fp) >= left<u64>(pc, fp)) pc = load<u32>(pc, 12); else pc += 16; break }
      case Op.br_i64_ge_u_c: { fuel += cost(word); if (first<u64>(pc, fp) >= <u64><i64>load<i32>(pc, 8)) pc = load<u32>(pc, 12); else pc += 16; break }
      case Op.br_loop: { fuel += cost(word); pc = load<u32>(pc, 4); if (fuel >= bound) pc -= 4; break }
      case Op.br_if_loop: { fuel += cost(word); if (first<i32>(pc, fp) != 0) { pc = load<u32>(pc, 8); if (fuel >= bound) pc -= 4 } else pc += 12; break }
      case Op.br_ifz_loop: { fuel += cost(word); if (first<i32>(pc, fp) == 0) { pc = load<u32>(pc, 8); if (fuel >= bound) pc -= 4 } else pc += 12; break }
      case Op.br_i32_eq_loop: { fuel += cost(word); if (first<i32>(pc, fp) == left<i32>(pc, fp)) { pc = load<u32>(pc, 12); if (fuel >= bound) pc -= 4 } else pc += 16; break }
      case Op.br_i32_eq_c_loop: { fuel += cost(word); if (first<i32>(pc, fp) == load<i32>(pc, 8)) { pc = load<u32>(pc, 12); if (fuel >= bound) pc -= 4 } else pc += 16; break }
      case Op.br_i32_ne_loop: { fuel += cost(word); if (first<i32>(pc, fp) != left<i32>(pc, fp)) { pc = load<u32>(pc, 12); if (fuel >= bound) pc -= 4 } else pc += 16; break }
      case Op.br_i32_ne_c_loop: { fuel += cost(word); if (first<i32>(pc, fp) != load<i32>(pc, 8)) { pc = load<u32>(pc, 12); if (fuel >= bound) pc -= 4 } else pc += 16; break }
      case Op.br_i32_lt_s_loop: { fuel += cost(word); if (first<i32>(pc, fp) < left<i32>(pc, fp)) { pc = load<u32>(pc, 12); if (fuel >= bound) pc -= 4 } else pc += 16; break }
      case Op.br_i32_lt_s_c_loop: { fuel += cost(word); if (first<i32>(pc, fp) < load<i32>(pc, 8)) { pc = load<u32>(pc, 12); if (fuel >= bound) pc -= 4 } else pc += 16; break }
      case Op.br_i32_lt_u_loop: { fuel += cost(word); if (first<u32>(pc, fp) < left<u32>(pc, fp)) { pc = load<u32>(pc, 12); if (fuel >= bound) pc -= 4 } else pc += 16; break }
      case Op.br_i32_lt_u_c_loop: { fuel += cost(word); if (first<u32>(pc, fp) < load<u32>(pc, 8)) { pc = load<u32>(pc, 12); if (fuel >= bound) pc -= 4 } else pc += 16; break }
      case Op.br_i32_ge_s_loop: { fuel += cost(word); if (first<i32>(pc, fp) >= left<i32>(pc, fp)) { pc = load<u32>(pc, 12); if (fuel >= bound) pc -= 4 } else pc += 16; break }
      case Op.br_i32_ge_s_c_loop: { fuel += cost(word); if (first<i32>(pc, fp) >= load<i32>(pc, 8)) { pc = load<u32>(pc, 12); if (fuel >= bound) pc -= 4 } else pc += 16; break }
      case Op.br_i32_ge_u_loop: { fuel += cost(word); if (first<u32>(pc, fp) >= left<u32>(pc, fp)) { pc = load<u32>(pc, 12); if (fuel >= bound) pc -= 4 } else pc += 16; break }
      case Op.br_i32_ge_u_c_loop: { fuel += cost(word); if (first<u32>(pc, fp) >= load<u32>(pc, 8)) { pc = load<u32>(pc, 12); if (fuel >= bound) pc -= 4 } else pc += 16; break }
      case Op.br_i64_eq_loop: { fuel += cost(word); if (first<i64>(pc, fp) == left<i64>(pc, fp)) { pc = load<u32>(pc, 12); if (fuel >= bound) pc -= 4 } else pc += 16; break }
      case Op.br_i64_eq_c_loop: { fuel += cost(word); if (first<i64>(pc, fp) == <i64>load<i32>(pc, 8)) { pc = load<u32>(pc, 12); if (fuel >= bound) pc -= 4 } else pc += 16; break }
      case Op.br_i64_ne_loop: { fuel += cost(word); if (first<i64>(pc, fp) != left<i64>(pc, fp)) { pc = load<u32>(pc, 12); if (fuel >= bound) pc -= 4 } else pc += 16; break }
      case Op.br_i64_ne_c_loop: { fuel += cost(word); if (first<i64>(pc, fp) != <i64>load<i32>(pc, 8)) { pc = load<u32>(pc, 12); if (fuel >= bound) pc -= 4 } else pc += 16; break }
      case Op.br_i64_lt_s_loop: { fuel += cost(word); if (first<i64>(pc, fp) < left<i64>(pc, fp)) { pc = load<u32>(pc, 12); if (fuel >= bound) pc -= 4 } else pc += 16; break }
      case Op.br_i64_lt_s_c_loop: { fuel += cost(word); if (first<i64>(pc, fp) < <i64>load<i32>(pc, 8)) { pc = load<u32>(pc, 12); if (fuel >= bound) pc -= 4 } else pc += 16; break }
      case Op.br_i64_lt_u_loop: { fuel += cost(word); if (first<u64>(pc, fp) < left<u64>(pc, fp)) { pc = load<u32>(pc, 12); if (fuel >= bound) pc -= 4 } else pc += 16; break }
      case Op.br_i64_lt_u_c_loop: { fuel += cost(word); if (first<u64>(pc, fp) < <u64><i64>load<i32>(pc, 8)) { pc = load<u32>(pc, 12); if (fuel >= bound) pc -= 4 } else pc += 16; break }
      case Op.br_i64_ge_s_loop: { fuel += cost(word); if (first<i64>(pc, fp) >= left<i64>(pc, fp)) { pc = load<u32>(pc, 12); if (fuel >= bound) pc -= 4 } else pc += 16; break }
      case Op.br_i64_ge_s_c_loop: { fuel += cost(word); if (first<i64>(pc, fp) >= <i64>load<i32>(pc, 8)) { pc = load<u32>(pc, 12); if (fuel >= bound) pc -= 4 } else pc += 16; break }
      case Op.br_i64_ge_u_loop: { fuel += cost(word); if (first<u64>(pc, fp) >= left<u64>(pc, fp)) { pc = load<u32>(pc, 12); if (fuel >= bound) pc -= 4 } else pc += 16; break }
      case Op.br_i64_ge_u_c_loop: { fuel += cost(word); if (first<u64>(pc, fp) >= <u64><i64>load<i32>(pc, 8)) { pc = load<u32>(pc, 12); if (fuel >= bound) pc -= 4 } else pc += 16; break }
      case Op.br_table: {
        fuel += cost(word)
        // A row of the table: the code, and how far down the values go.
        const row = pc + 20 + 8 * min<u32>(first<u32>(pc, fp), load<u32>(pc, 8))
        const bytes = load<u32>(pc, 16)
        if (bytes > 0) memory.copy(fp + load<u32>(row, 4), fp + load<u32>(pc, 12), bytes)
        pc = load<u32>(row)
        break
      }
      case Op.call: {
        fuel += cost(word)
        machine.saved = fuel
        store<u32>(calls, pc + 12)
        store<u32>(calls, fp, 4)
        calls += 8
        fp += load<u32>(pc, 8)
        pc = load<u32>(pc, 4)
        break
      }
      case Op.call_indirect: {
        fuel += cost(word)
        machine.saved = fuel
        const code = indirect(load<u32>(pc, 4), load<u32>(pc, 8), right<u32>(pc, fp))
        if (code == 0) return Status.trap
        store<u32>(calls, pc + 20)
        store<u32>(calls, fp, 4)
        calls += 8
        fp += load<u32>(pc, 16)
        pc = code
        break
      }
      case Op.return_call: {
        fuel += cost(word)
        machine.saved = fuel
        units += load<i32>(pc, 16)
        memory.copy(fp, fp + load<u32>(pc, 8), load<u32>(pc, 12))
        pc = load<u32>(pc, 4)
        break
      }
      case Op.return_call_indirect: {
        fuel += cost(word)
        machine.saved = fuel
        const code = indirect(load<u32>(pc, 4), load<u32>(pc, 8), right<u32>(pc, fp))
        if (code == 0) return Status.trap
        units += load<i32>(pc, 24)
        memory.copy(fp, fp + load<u32>(pc, 16), load<u32>(pc, 20))
        pc = code
        break
      }
      case Op.host: {
        machine.units = units
        machine.calls = calls
        host(load<u32>(pc, 4), fp)
        fuel = machine.saved
        bound = machine.bound
        size = machine.memoryBytes
        pc += 8
        if (mayPause(fuel, bound)) return pause(pc, fp, fuel, calls, units)
        break
      }
      case Op.leave: { fuel = machine.saved; calls -= 8; pc = load<u32>(calls); fp = load<u32>(calls, 4); if (pc == 0) return finish(calls, units); break }
      case Op.ret: { fuel += cost(word); machine.saved = fuel; units += load<i32>(pc, 4); calls -= 8; pc = load<u32>(calls); fp = load<u32>(calls, 4); if (pc == 0) return finish(calls, units); break }
      case Op.ret_32: { store<u32>(fp, left<u32>(pc, fp)); fuel += cost(word); machine.saved = fuel; units += load<i32>(pc, 4); calls -= 8; pc = load<u32>(calls); fp = load<u32>(calls, 4); if (pc == 0) return finish(calls, units); break }
      case Op.ret_64: { store<u64>(fp, left<u64>(pc, fp)); fuel += cost(word); machine.saved = fuel; units += load<i32>(pc, 4); calls -= 8; pc = load<u32>(calls); fp = load<u32>(calls, 4); if (pc == 0) return finish(calls, units); break }
      case Op.ret_128: { v128.store(fp, v128.load(fp + load<u32>(pc, 8))); fuel += cost(word); machine.saved = fuel; units += load<i32>(pc, 4); calls -= 8; pc = load<u32>(calls); fp = load<u32>(calls, 4); if (pc == 0) return finish(calls, units); break }
      case Op.ret_many: { memory.copy(fp, fp + load<u32>(pc, 8), load<u32>(pc, 12)); fuel += cost(word); machine.saved = fuel; units += load<i32>(pc, 4); calls -= 8; pc = load<u32>(calls); fp = load<u32>(calls, 4); if (pc == 0) return finish(calls, units); break }
      case Op.trap: { machine.saved = fuel + cost(word); return trapped(load<i32>(pc, 4)) }
      case Op.mov_32: { put<u32>(pc, fp, left<u32>(pc, fp)); pc += 12; break }
      case Op.mov_64: { put<u64>(pc, fp, left<u64>(pc, fp)); pc += 12; break }
      case Op.mov_128: { v128.store(fp + load<u32>(pc, 4), v128.load(fp + load<u32>(pc, 8))); pc += 12; break }
      case Op.mov_many: { memory.copy(fp + load<u32>(pc, 4), fp + load<u32>(pc, 8), load<u32>(pc, 12)); pc += 16; break }
      case Op.const_32: { put<u32>(pc, fp, load<u32>(pc, 8)); pc += 12; break }
      case Op.const_64: { put<u64>(pc, fp, load<u64>(pc, 8)); pc += 16; break }
      case Op.const_128: { v128.store(fp + load<u32>(pc, 4), v128.load(pc, 8)); pc += 24; break }
      case Op.select_32: { put<u32>(pc, fp, third<u32>(pc, fp) ? left<u32>(pc, fp) : right<u32>(pc, fp)); pc += 20; break }
      case Op.select_64: { put<u64>(pc, fp, third<u32>(pc, fp) ? left<u64>(pc, fp) : right<u64>(pc, fp)); pc += 20; break }
      case Op.select_128: { v128.store(fp + load<u32>(pc, 4), v128.load(fp + (third<u32>(pc, fp) ? load<u32>(pc, 8) : load<u32>(pc, 12)))); pc += 20; break }
      case Op.global_get_32: { put<u32>(pc, fp, load<u32>(load<u32>(pc, 8))); pc += 12; break }
      case Op.global_get_64: { put<u64>(pc, fp, load<u64>(load<u32>(pc, 8))); pc += 12; break }
      case Op.global_get_128: { v128.store(fp + load<u32>(pc, 4), v128.load(load<u32>(pc, 8))); pc += 12; break }
      case Op.global_set_32: { store<u32>(load<u32>(pc, 8), first<u32>(pc, fp)); pc += 12; break }
      case Op.global_set_64: { store<u64>(load<u32>(pc, 8), first<u64>(pc, fp)); pc += 12; break }
      case Op.global_set_128: { v128.store(load<u32>(pc, 8), v128.load(fp + load<u32>(pc, 4))); pc += 12; break }
      case Op.i32_load: { const at = loadPlace(pc, fp); if (at + 4 > size) return trapped(Trap.memory); put<i32>(pc, fp, load<i32>(base + <u32>at)); pc += 16; break }
      case Op.i64_load: { const at = loadPlace(pc, fp); if (at + 8 > size) return trapped(Trap.memory); put<i64>(pc, fp, load<i64>(base + <u32>at)); pc += 16; break }
      case Op.f32_load: { const at = loadPlace(pc, fp); if (at + 4 > size) return trapped(Trap.memory); put<f32>(pc, fp, load<f32>(base + <u32>at)); pc += 16; break }
      case Op.f64_load: { const at = loadPlace(pc, fp); if (at + 8 > size) return trapped(Trap.memory); put<f64>(pc, fp, load<f64>(base + <u32>at)); pc += 16; break }
      case Op.i32_load8_s: { const at = loadPlace(pc, fp); if (at + 1 > size) return trapped(Trap.memory); put<i32>(pc, fp, <i32>load<i8>(base + <u32>at)); pc += 16; break }
      case Op.i32_load8_u: { const at = loadPlace(pc, fp); if (at + 1 > size) return trapped(Trap.memory); put<i32>(pc, fp, <i32>load<u8>(base + <u32>at)); pc += 16; break }
      case Op.i32_load16_s: { const at = loadPlace(pc, fp); if (at + 2 > size) return trapped(Trap.memory); put<i32>(pc, fp, <i32>load<i16>(base + <u32>at)); pc += 16; break }
      case Op.i32_load16_u: { const at = loadPlace(pc, fp); if (at + 2 > size) return trapped(Trap.memory); put<i32>(pc, fp, <i32>load<u16>(base + <u32>at)); pc += 16; break }
      case Op.i64_load8_s: { const at = loadPlace(pc, fp); if (at + 1 > size) return trapped(Trap.memory); put<i64>(pc, fp, <i64>load<i8>(base + <u32>at)); pc += 16; break }
      case Op.i64_load8_u: { const at = loadPlace(pc, fp); if (at + 1 > size) return trapped(Trap.memory); put<i64>(pc, fp, <i64>load<u8>(base + <u32>at)); pc += 16; break }
      case Op.i64_load16_s: { const at = loadPlace(pc, fp); if (at + 2 > size) return trapped(Trap.memory); put<i64>(pc, fp, <i64>load<i16>(base + <u32>at)); pc += 16; break }
      case Op.i64_load16_u: { const at = loadPlace(pc, fp); if (at + 2 > size) return trapped(Trap.memory); put<i64>(pc, fp, <i64>load<u16>(base + <u32>at)); pc += 16; break }
      case Op.i64_load32_s: { const at = loadPlace(pc, fp); if (at + 4 > size) return trapped(Trap.memory); put<i64>(pc, fp, <i64>load<i32>(base + <u32>at)); pc += 16; break }
      case Op.i64_load32_u: { const at = loadPlace(pc, fp); if (at + 4 > size) return trapped(Trap.memory); put<i64>(pc, fp, <i64>load<u32>(base + <u32>at)); pc += 16; break }
      case Op.i32_store: { const at = storePlace(pc, fp); if (at + 4 > size) return trapped(Trap.memory); store<i32>(base + <u32>at, left<i32>(pc, fp)); pc += 16; break }
      case Op.i64_store: { const at = storePlace(pc, fp); if (at + 8 > size) return trapped(Trap.memory); store<i64>(base + <u32>at, left<i64>(pc, fp)); pc += 16; break }
      case Op.f32_store: { const at = storePlace(pc, fp); if (at + 4 > size) return trapped(Trap.memory); store<f32>(base + <u32>at, left<f32>(pc, fp)); pc += 16; break }
      case Op.f64_store: { const at = storePlace(pc, fp); if (at + 8 > size) return trapped(Trap.memory); store<f64>(base + <u32>at, left<f64>(pc, fp)); pc += 16; break }
      case Op.i32_store8: { const at = storePlace(pc, fp); if (at + 1 > size) return trapped(Trap.memory); store<u8>(base + <u32>at, left<u8>(pc, fp)); pc += 16; break }
      case Op.i32_store16: { const at = storePlace(pc, fp); if (at + 2 > size) return trapped(Trap.memory); store<u16>(base + <u32>at, left<u16>(pc, fp)); pc += 16; break }
      case Op.i64_store8: { const at = storePlace(pc, fp); if (at + 1 > size) return trapped(Trap.memory); store<u8>(base + <u32>at, left<u8>(pc, fp)); pc += 16; break }
      case Op.i64_store16: { const at = storePlace(pc, fp); if (at + 2 > size) return trapped(Trap.memory); store<u16>(base + <u32>at, left<u16>(pc, fp)); pc += 16; break }
      case Op.i64_store32: { const at = storePlace(pc, fp); if (at + 4 > size) return trapped(Trap.memory); store<u32>(base + <u32>at, left<u32>(pc, fp)); pc += 16; break }
      case Op.memory_size: { put<u32>(pc, fp, <u32>(size >> 16)); pc += 8; break }
      case Op.memory_grow: {
        put<i32>(pc, fp, growMemory(left<u32>(pc, fp)))
        if (machine.trap == Trap.fault) return Status.trap
        size = machine.memoryBytes
        pc += 12
        break
      }
      case Op.i32_eqz: { put<i32>(pc, fp, <i32>(left<i32>(pc, fp) == 0)); pc += 12; break }
      case Op.i32_eq: { put<i32>(pc, fp, <i32>(left<i32>(pc, fp) == right<i32>(pc, fp))); pc += 16; break }
      case Op.i32_ne: { put<i32>(pc, fp, <i32>(left<i32>(pc, fp) != right<i32>(pc, fp))); pc += 16; break }
      case Op.i32_lt_s: { put<i32>(pc, fp, <i32>(left<i32>(pc, fp) < right<i32>(pc, fp))); pc += 16; break }
      case Op.i32_lt_u: { put<i32>(pc, fp, <i32>(left<u32>(pc, fp) < right<u32>(pc, fp))); pc += 16; break }
      case Op.i32_gt_s: { put<i32>(pc, fp, <i32>(left<i32>(pc, fp) > right<i32>(pc, fp))); pc += 16; break }
      case Op.i32_gt_u: { put<i32>(pc, fp, <i32>(left<u32>(pc, fp) > right<u32>(pc, fp))); pc += 16; break }
      case Op.i32_le_s: { put<i32>(pc, fp, <i32>(left<i32>(pc, fp) <= right<i32>(pc, fp))); pc += 16; break }
      case Op.i32_le_u: { put<i32>(pc, fp, <i32>(left<u32>(pc, fp) <= right<u32>(pc, fp))); pc += 16; break }
      case Op.i32_ge_s: { put<i32>(pc, fp, <i32>(left<i32>(pc, fp) >= right<i32>(pc, fp))); pc += 16; break }
      case Op.i32_ge_u: { put<i32>(pc, fp, <i32>(left<u32>(pc, fp) >= right<u32>(pc, fp))); pc += 16; break }
      case Op.i64_eqz: { put<i32>(pc, fp, <i32>(left<i64>(pc, fp) == 0)); pc += 12; break }
      case Op.i64_eq: { put<i32>(pc, fp, <i32>(left<i64>(pc, fp) == right<i64>(pc, fp))); pc += 16; break }
      case Op.i64_ne: { put<i32>(pc, fp, <i32>(left<i64>(pc, fp) != right<i64>(pc, fp))); pc += 16; break }
      case Op.i64_lt_s: { put<i32>(pc, fp, <i32>(left<i64>(pc, fp) < right<i64>(pc, fp))); pc += 16; break }
      case Op.i64_lt_u: { put<i32>(pc, fp, <i32>(left<u64>(pc, fp) < right<u64>(pc, fp))); pc += 16; break }
      case Op.i64_gt_s: { put<i32>(pc, fp, <i32>(left<i64>(pc, fp) > right<i64>(pc, fp))); pc += 16; break }
      case Op.i64_gt_u: { put<i32>(pc, fp, <i32>(left<u64>(pc, fp) > right<u64>(pc, fp))); pc += 16; break }
      case Op.i64_le_s: { put<i32>(pc, fp, <i32>(left<i64>(pc, fp) <= right<i64>(pc, fp))); pc += 16; break }
      case Op.i64_le_u: { put<i32>(pc, fp, <i32>(left<u64>(pc, fp) <= right<u64>(pc, fp))); pc += 16; break }
      case Op.i64_ge_s: { put<i32>(pc, fp, <i32>(left<i64>(pc, fp) >= right<i64>(pc, fp))); pc += 16; break }
      case Op.i64_ge_u: { put<i32>(pc, fp, <i32>(left<u64>(pc, fp) >= right<u64>(pc, fp))); pc += 16; break }
      case Op.f32_eq: { put<i32>(pc, fp, <i32>(left<f32>(pc, fp) == right<f32>(pc, fp))); pc += 16; break }
      case Op.f32_ne: { put<i32>(pc, fp, <i32>(left<f32>(pc, fp) != right<f32>(pc, fp))); pc += 16; break }
      case Op.f32_lt: { put<i32>(pc, fp, <i32>(left<f32>(pc, fp) < right<f32>(pc, fp))); pc += 16; break }
      case Op.f32_gt: { put<i32>(pc, fp, <i32>(left<f32>(pc, fp) > right<f32>(pc, fp))); pc += 16; break }
      case Op.f32_le: { put<i32>(pc, fp, <i32>(left<f32>(pc, fp) <= right<f32>(pc, fp))); pc += 16; break }
      case Op.f32_ge: { put<i32>(pc, fp, <i32>(left<f32>(pc, fp) >= right<f32>(pc, fp))); pc += 16; break }
      case Op.f64_eq: { put<i32>(pc, fp, <i32>(left<f64>(pc, fp) == right<f64>(pc, fp))); pc += 16; break }
      case Op.f64_ne: { put<i32>(pc, fp, <i32>(left<f64>(pc, fp) != right<f64>(pc, fp))); pc += 16; break }
      case Op.f64_lt: { put<i32>(pc, fp, <i32>(left<f64>(pc, fp) < right<f64>(pc, fp))); pc += 16; break }
      case Op.f64_gt: { put<i32>(pc, fp, <i32>(left<f64>(pc, fp) > right<f64>(pc, fp))); pc += 16; break }
      case Op.f64_le: { put<i32>(pc, fp, <i32>(left<f64>(pc, fp) <= right<f64>(pc, fp))); pc += 16; break }
      case Op.f64_ge: { put<i32>(pc, fp, <i32>(left<f64>(pc, fp) >= right<f64>(pc, fp))); pc += 16; break }
      case Op.i32_clz: { put<i32>(pc, fp, clz<i32>(left<i32>(pc, fp))); pc += 12; break }
      case Op.i32_ctz: { put<i32>(pc, fp, ctz<i32>(left<i32>(pc, fp))); pc += 12; break }
      case Op.i32_popcnt: { put<i32>(pc, fp, popcnt<i32>(left<i32>(pc, fp))); pc += 12; break }
      case Op.i32_add: { put<i32>(pc, fp, left<i32>(pc, fp) + right<i32>(pc, fp)); pc += 16; break }
      case Op.i32_sub: { put<i32>(pc, fp, left<i32>(pc, fp) - right<i32>(pc, fp)); pc += 16; break }
      case Op.i32_mul: { put<i32>(pc, fp, left<i32>(pc, fp) * right<i32>(pc, fp)); pc += 16; break }
      case Op.i32_div_s: { const n = left<i32>(pc, fp), d = right<i32>(pc, fp); if (d == 0) return trapped(Trap.divideByZero); if (d == -1 && n == i32.MIN_VALUE) return trapped(Trap.overflow); put<i32>(pc, fp, n / d); pc += 16; break }
      case Op.i32_div_u: { const n = left<u32>(pc, fp), d = right<u32>(pc, fp); if (d == 0) return trapped(Trap.divideByZero); put<u32>(pc, fp, n / d); pc += 16; break }
      case Op.i32_rem_s: { const n = left<i32>(pc, fp), d = right<i32>(pc, fp); if (d == 0) return trapped(Trap.divideByZero); put<i32>(pc, fp, n % d); pc += 16; break }
      case Op.i32_rem_u: { const n = left<u32>(pc, fp), d = right<u32>(pc, fp); if (d == 0) return trapped(Trap.divideByZero); put<u32>(pc, fp, n % d); pc += 16; break }
      case Op.i32_and: { put<i32>(pc, fp, left<i32>(pc, fp) & right<i32>(pc, fp)); pc += 16; break }
      case Op.i32_or: { put<i32>(pc, fp, left<i32>(pc, fp) | right<i32>(pc, fp)); pc += 16; break }
      case Op.i32_xor: { put<i32>(pc, fp, left<i32>(pc, fp) ^ right<i32>(pc, fp)); pc += 16; break }
      case Op.i32_shl: { put<i32>(pc, fp, left<i32>(pc, fp) << right<i32>(pc, fp)); pc += 16; break }
      case Op.i32_shr_s: { put<i32>(pc, fp, left<i32>(pc, fp) >> right<i32>(pc, fp)); pc += 16; break }
      case Op.i32_shr_u: { put<u32>(pc, fp, left<u32>(pc, fp) >> right<u32>(pc, fp)); pc += 16; break }
      case Op.i32_rotl: { put<i32>(pc, fp, rotl<i32>(left<i32>(pc, fp), right<i32>(pc, fp))); pc += 16; break }
      case Op.i32_rotr: { put<i32>(pc, fp, rotr<i32>(left<i32>(pc, fp), right<i32>(pc, fp))); pc += 16; break }
      case Op.i64_clz: { put<i64>(pc, fp, clz<i64>(left<i64>(pc, fp))); pc += 12; break }
      case Op.i64_ctz: { put<i64>(pc, fp, ctz<i64>(left<i64>(pc, fp))); pc += 12; break }
      case Op.i64_popcnt: { put<i64>(pc, fp, popcnt<i64>(left<i64>(pc, fp))); pc += 12; break }
      case Op.i64_add: { put<i64>(pc, fp, left<i64>(pc, fp) + right<i64>(pc, fp)); pc += 16; break }
      case Op.i64_sub: { put<i64>(pc, fp, left<i64>(pc, fp) - right<i64>(pc, fp)); pc += 16; break }
      case Op.i64_mul: { put<i64>(pc, fp, left<i64>(pc, fp) * right<i64>(pc, fp)); pc += 16; break }
      case Op.i64_div_s: { const n = left<i64>(pc, fp), d = right<i64>(pc, fp); if (d == 0) return trapped(Trap.divideByZero); if (d == -1 && n == i64.MIN_VALUE) return trapped(Trap.overflow); put<i64>(pc, fp, n / d); pc += 16; break }
      case Op.i64_div_u: { const n = left<u64>(pc, fp), d = right<u64>(pc, fp); if (d == 0) return trapped(Trap.divideByZero); put<u64>(pc, fp, n / d); pc += 16; break }
      case Op.i64_rem_s: { const n = left<i64>(pc, fp), d = right<i64>(pc, fp); if (d == 0) return trapped(Trap.divideByZero); put<i64>(pc, fp, n % d); pc += 16; break }
      case Op.i64_rem_u: { const n = left<u64>(pc, fp), d = right<u64>(pc, fp); if (d == 0) return trapped(Trap.divideByZero); put<u64>(pc, fp, n % d); pc += 16; break }
      case Op.i64_and: { put<i64>(pc, fp, left<i64>(pc, fp) & right<i64>(pc, fp)); pc += 16; break }
      case Op.i64_or: { put<i64>(pc, fp, left<i64>(pc, fp) | right<i64>(pc, fp)); pc += 16; break }
      case Op.i64_xor: { put<i64>(pc, fp, left<i64>(pc, fp) ^ right<i64>(pc, fp)); pc += 16; break }
      case Op.i64_shl: { put<i64>(pc, fp, left<i64>(pc, fp) << right<i64>(pc, fp)); pc += 16; break }
      case Op.i64_shr_s: { put<i64>(pc, fp, left<i64>(pc, fp) >> right<i64>(pc, fp)); pc += 16; break }
      case Op.i64_shr_u: { put<u64>(pc, fp, left<u64>(pc, fp) >> right<u64>(pc, fp)); pc += 16; break }
      case Op.i64_rotl: { put<i64>(pc, fp, rotl<i64>(left<i64>(pc, fp), right<i64>(pc, fp))); pc += 16; break }
      case Op.i64_rotr: { put<i64>(pc, fp, rotr<i64>(left<i64>(pc, fp), right<i64>(pc, fp))); pc += 16; break }
      case Op.f32_abs: { put<u32>(pc, fp, left<u32>(pc, fp) & 0x7fffffff); pc += 12; break }
      case Op.f32_neg: { put<u32>(pc, fp, left<u32>(pc, fp) ^ 0x80000000); pc += 12; break }
      case Op.f32_ceil: { put<f32>(pc, fp, single(ceil<f32>(left<f32>(pc, fp)))); pc += 12; break }
      case Op.f32_floor: { put<f32>(pc, fp, single(floor<f32>(left<f32>(pc, fp)))); pc += 12; break }
      case Op.f32_trunc: { put<f32>(pc, fp, single(trunc<f32>(left<f32>(pc, fp)))); pc += 12; break }
      case Op.f32_nearest: { put<f32>(pc, fp, single(nearest<f32>(left<f32>(pc, fp)))); pc += 12; break }
      case Op.f32_sqrt: { put<f32>(pc, fp, single(sqrt<f32>(left<f32>(pc, fp)))); pc += 12; break }
      case Op.f32_add: { put<f32>(pc, fp, single(left<f32>(pc, fp) + right<f32>(pc, fp))); pc += 16; break }
      case Op.f32_sub: { put<f32>(pc, fp, single(left<f32>(pc, fp) - right<f32>(pc, fp))); pc += 16; break }
      case Op.f32_mul: { put<f32>(pc, fp, single(left<f32>(pc, fp) * right<f32>(pc, fp))); pc += 16; break }
      case Op.f32_div: { put<f32>(pc, fp, single(left<f32>(pc, fp) / right<f32>(pc, fp))); pc += 16; break }
      case Op.f32_min: { put<f32>(pc, fp, single(min<f32>(left<f32>(pc, fp), right<f32>(pc, fp)))); pc += 16; break }
      case Op.f32_max: { put<f32>(pc, fp, single(max<f32>(left<f32>(pc, fp), right<f32>(pc, fp)))); pc += 16; break }
      case Op.f32_copysign: { put<f32>(pc, fp, copysign<f32>(left<f32>(pc, fp), right<f32>(pc, fp))); pc += 16; break }
      case Op.f64_abs: { put<u64>(pc, fp, left<u64>(pc, fp) & 0x7fffffffffffffff); pc += 12; break }
      case Op.f64_neg: { put<u64>(pc, fp, left<u64>(pc, fp) ^ 0x8000000000000000); pc += 12; break }
      case Op.f64_ceil: { put<f64>(pc, fp, double(ceil<f64>(left<f64>(pc, fp)))); pc += 12; break }
      case Op.f64_floor: { put<f64>(pc, fp, double(floor<f64>(left<f64>(pc, fp)))); pc += 12; break }
      case Op.f64_trunc: { put<f64>(pc, fp, double(trunc<f64>(left<f64>(pc, fp)))); pc += 12; break }
      case Op.f64_nearest: { put<f64>(pc, fp, double(nearest<f64>(left<f64>(pc, fp)))); pc += 12; break }
      case Op.f64_sqrt: { put<f64>(pc, fp, double(sqrt<f64>(left<f64>(pc, fp)))); pc += 12; break }
      case Op.f64_add: { put<f64>(pc, fp, double(left<f64>(pc, fp) + right<f64>(pc, fp))); pc += 16; break }
      case Op.f64_sub: { put<f64>(pc, fp, double(left<f64>(pc, fp) - right<f64>(pc, fp))); pc += 16; break }
      case Op.f64_mul: { put<f64>(pc, fp, double(left<f64>(pc, fp) * right<f64>(pc, fp))); pc += 16; break }
      case Op.f64_div: { put<f64>(pc, fp, double(left<f64>(pc, fp) / right<f64>(pc, fp))); pc += 16; break }
      case Op.f64_min: { put<f64>(pc, fp, double(min<f64>(left<f64>(pc, fp), right<f64>(pc, fp)))); pc += 16; break }
      case Op.f64_max: { put<f64>(pc, fp, double(max<f64>(left<f64>(pc, fp), right<f64>(pc, fp)))); pc += 16; break }
      case Op.f64_copysign: { put<f64>(pc, fp, copysign<f64>(left<f64>(pc, fp), right<f64>(pc, fp))); pc += 16; break }
      case Op.i32_wrap_i64: { put<i32>(pc, fp, left<i32>(pc, fp)); pc += 12; break }
      case Op.i32_trunc_f32_s: { const x = left<f32>(pc, fp); if (!(x >= <f32>-2147483648.0 && x < <f32>2147483648.0)) return trapped(Trap.conversion); put<i32>(pc, fp, <i32>x); pc += 12; break }
      case Op.i32_trunc_f32_u: { const x = left<f32>(pc, fp); if (!(x > <f32>-1.0 && x < <f32>4294967296.0)) return trapped(Trap.conversion); put<u32>(pc, fp, <u32>x); pc += 12; break }
      case Op.i32_trunc_f64_s: { const x = left<f64>(pc, fp); if (!(x > -2147483649.0 && x < 2147483648.0)) return trapped(Trap.conversion); put<i32>(pc, fp, <i32>x); pc += 12; break }
      case Op.i32_trunc_f64_u: { const x = left<f64>(pc, fp); if (!(x > -1.0 && x < 4294967296.0)) return trapped(Trap.conversion); put<u32>(pc, fp, <u32>x); pc += 12; break }
      case Op.i64_extend_i32_s: { put<i64>(pc, fp, <i64>left<i32>(pc, fp)); pc += 12; break }
      case Op.i64_extend_i32_u: { put<i64>(pc, fp, <i64>left<u32>(pc, fp)); pc += 12; break }
      case Op.i64_trunc_f32_s: { const x = left<f32>(pc, fp); if (!(x >= <f32>-9223372036854775808.0 && x < <f32>9223372036854775808.0)) return trapped(Trap.conversion); put<i64>(pc, fp, <i64>x); pc += 12; break }
      case Op.i64_trunc_f32_u: { const x = left<f32>(pc, fp); if (!(x > <f32>-1.0 && x < <f32>18446744073709551616.0)) return trapped(Trap.conversion); put<u64>(pc, fp, <u64>x); pc += 12; break }
      case Op.i64_trunc_f64_s: { const x = left<f64>(pc, fp); if (!(x >= -9223372036854775808.0 && x < 9223372036854775808.0)) return trapped(Trap.conversion); put<i64>(pc, fp, <i64>x); pc += 12; break }
      case Op.i64_trunc_f64_u: { const x = left<f64>(pc, fp); if (!(x > -1.0 && x < 18446744073709551616.0)) return trapped(Trap.conversion); put<u64>(pc, fp, <u64>x); pc += 12; break }
      case Op.f32_convert_i32_s: { put<f32>(pc, fp, <f32>left<i32>(pc, fp)); pc += 12; break }
      case Op.f32_convert_i32_u: { put<f32>(pc, fp, <f32>left<u32>(pc, fp)); pc += 12; break }
      case Op.f32_convert_i64_s: { put<f32>(pc, fp, <f32>left<i64>(pc, fp)); pc += 12; break }
      case Op.f32_convert_i64_u: { put<f32>(pc, fp, <f32>left<u64>(pc, fp)); pc += 12; break }
      case Op.f32_demote_f64: { put<f32>(pc, fp, single(<f32>left<f64>(pc, fp))); pc += 12; break }
      case Op.f64_convert_i32_s: { put<f64>(pc, fp, <f64>left<i32>(pc, fp)); pc += 12; break }
      case Op.f64_convert_i32_u: { put<f64>(pc, fp, <f64>left<u32>(pc, fp)); pc += 12; break }
      case Op.f64_convert_i64_s: { put<f64>(pc, fp, <f64>left<i64>(pc, fp)); pc += 12; break }
      case Op.f64_convert_i64_u: { put<f64>(pc, fp, <f64>left<u64>(pc, fp)); pc += 12; break }
      case Op.f64_promote_f32: { put<f64>(pc, fp, double(<f64>left<f32>(pc, fp))); pc += 12; break }
      case Op.i32_extend8_s: { put<i32>(pc, fp, <i32>left<i8>(pc, fp)); pc += 12; break }
      case Op.i32_extend16_s: { put<i32>(pc, fp, <i32>left<i16>(pc, fp)); pc += 12; break }
      case Op.i64_extend8_s: { put<i64>(pc, fp, <i64>left<i8>(pc, fp)); pc += 12; break }
      case Op.i64_extend16_s: { put<i64>(pc, fp, <i64>left<i16>(pc, fp)); pc += 12; break }
      case Op.i64_extend32_s: { put<i64>(pc, fp, <i64>left<i32>(pc, fp)); pc += 12; break }
      case Op.i32_trunc_sat_f32_s: { put<i32>(pc, fp, <i32>left<f32>(pc, fp)); pc += 12; break }
      case Op.i32_trunc_sat_f32_u: { put<u32>(pc, fp, <u32>left<f32>(pc, fp)); pc += 12; break }
      case Op.i32_trunc_sat_f64_s: { put<i32>(pc, fp, <i32>left<f64>(pc, fp)); pc += 12; break }
      case Op.i32_trunc_sat_f64_u: { put<u32>(pc, fp, <u32>left<f64>(pc, fp)); pc += 12; break }
      case Op.i64_trunc_sat_f32_s: { put<i64>(pc, fp, <i64>left<f32>(pc, fp)); pc += 12; break }
      case Op.i64_trunc_sat_f32_u: { put<u64>(pc, fp, <u64>left<f32>(pc, fp)); pc += 12; break }
      case Op.i64_trunc_sat_f64_s: { put<i64>(pc, fp, <i64>left<f64>(pc, fp)); pc += 12; break }
      case Op.i64_trunc_sat_f64_u: { put<u64>(pc, fp, <u64>left<f64>(pc, fp)); pc += 12; break }
      case Op.i32_add_c: { put<i32>(pc, fp, left<i32>(pc, fp) + load<i32>(pc, 12)); pc += 16; break }
      case Op.i32_mul_c: { put<i32>(pc, fp, left<i32>(pc, fp) * load<i32>(pc, 12)); pc += 16; break }
      case Op.i32_and_c: { put<i32>(pc, fp, left<i32>(pc, fp) & load<i32>(pc, 12)); pc += 16; break }
      case Op.i32_or_c: { put<i32>(pc, fp, left<i32>(pc, fp) | load<i32>(pc, 12)); pc += 16; break }
      case Op.i32_xor_c: { put<i32>(pc, fp, left<i32>(pc, fp) ^ load<i32>(pc, 12)); pc += 16; break }
      case Op.i32_shl_c: { put<i32>(pc, fp, left<i32>(pc, fp) << load<i32>(pc, 12)); pc += 16; break }
      case Op.i32_shr_s_c: { put<i32>(pc, fp, left<i32>(pc, fp) >> load<i32>(pc, 12)); pc += 16; break }
      case Op.i32_shr_u_c: { put<u32>(pc, fp, left<u32>(pc, fp) >> load<u32>(pc, 12)); pc += 16; break }
      case Op.i32_rotl_c: { put<i32>(pc, fp, rotl<i32>(left<i32>(pc, fp), load<i32>(pc, 12))); pc += 16; break }
      case Op.i32_eq_c: { put<i32>(pc, fp, <i32>(left<i32>(pc, fp) == load<i32>(pc, 12))); pc += 16; break }
      case Op.i32_ne_c: { put<i32>(pc, fp, <i32>(left<i32>(pc, fp) != load<i32>(pc, 12))); pc += 16; break }
      case Op.i32_lt_s_c: { put<i32>(pc, fp, <i32>(left<i32>(pc, fp) < load<i32>(pc, 12))); pc += 16; break }
      case Op.i32_lt_u_c: { put<i32>(pc, fp, <i32>(left<u32>(pc, fp) < load<u32>(pc, 12))); pc += 16; break }
      case Op.i32_gt_s_c: { put<i32>(pc, fp, <i32>(left<i32>(pc, fp) > load<i32>(pc, 12))); pc += 16; break }
      case Op.i32_gt_u_c: { put<i32>(pc, fp, <i32>(left<u32>(pc, fp) > load<u32>(pc, 12))); pc += 16; break }
      case Op.i32_le_s_c: { put<i32>(pc, fp, <i32>(left<i32>(pc, fp) <= load<i32>(pc, 12))); pc += 16; break }
      case Op.i32_le_u_c: { put<i32>(pc, fp, <i32>(left<u32>(pc, fp) <= load<u32>(pc, 12))); pc += 16; break }
      case Op.i32_ge_s_c: { put<i32>(pc, fp, <i32>(left<i32>(pc, fp) >= load<i32>(pc, 12))); pc += 16; break }
      case Op.i32_ge_u_c: { put<i32>(pc, fp, <i32>(left<u32>(pc, fp) >= load<u32>(pc, 12))); pc += 16; break }
      case Op.i32_div_u_c: { put<u32>(pc, fp, left<u32>(pc, fp) / load<u32>(pc, 12)); pc += 16; break }
      case Op.i32_rem_u_c: { put<u32>(pc, fp, left<u32>(pc, fp) % load<u32>(pc, 12)); pc += 16; break }
      case Op.i64_add_c: { put<i64>(pc, fp, left<i64>(pc, fp) + <i64>load<i32>(pc, 12)); pc += 16; break }
      case Op.i64_mul_c: { put<i64>(pc, fp, left<i64>(pc, fp) * <i64>load<i32>(pc, 12)); pc += 16; break }
      case Op.i64_and_c: { put<i64>(pc, fp, left<i64>(pc, fp) & <i64>load<i32>(pc, 12)); pc += 16; break }
      case Op.i64_or_c: { put<i64>(pc, fp, left<i64>(pc, fp) | <i64>load<i32>(pc, 12)); pc += 16; break }
      case Op.i64_xor_c: { put<i64>(pc, fp, left<i64>(pc, fp) ^ <i64>load<i32>(pc, 12)); pc += 16; break }
      case Op.i64_shl_c: { put<i64>(pc, fp, left<i64>(pc, fp) << <i64>load<i32>(pc, 12)); pc += 16; break }
      case Op.i64_shr_s_c: { put<i64>(pc, fp, left<i64>(pc, fp) >> <i64>load<i32>(pc, 12)); pc += 16; break }
      case Op.i64_shr_u_c: { put<u64>(pc, fp, left<u64>(pc, fp) >> <u64><i64>load<i32>(pc, 12)); pc += 16; break }
      case Op.i64_rotl_c: { put<i64>(pc, fp, rotl<i64>(left<i64>(pc, fp), <i64>load<i32>(pc, 12))); pc += 16; break }
      case Op.i64_eq_c: { put<i32>(pc, fp, <i32>(left<i64>(pc, fp) == <i64>load<i32>(pc, 12))); pc += 16; break }
      case Op.i64_ne_c: { put<i32>(pc, fp, <i32>(left<i64>(pc, fp) != <i64>load<i32>(pc, 12))); pc += 16; break }
      case Op.i64_lt_s_c: { put<i32>(pc, fp, <i32>(left<i64>(pc, fp) < <i64>load<i32>(pc, 12))); pc += 16; break }
      case Op.i64_lt_u_c: { put<i32>(pc, fp, <i32>(left<u64>(pc, fp) < <u64><i64>load<i32>(pc, 12))); pc += 16; break }
      case Op.i64_gt_s_c: { put<i32>(pc, fp, <i32>(left<i64>(pc, fp) > <i64>load<i32>(pc, 12))); pc += 16; break }
      case Op.i64_gt_u_c: { put<i32>(pc, fp, <i32>(left<u64>(pc, fp) > <u64><i64>load<i32>(pc, 12))); pc += 16; break }
      case Op.i64_le_s_c: { put<i32>(pc, fp, <i32>(left<i64>(pc, fp) <= <i64>load<i32>(pc, 12))); pc += 16; break }
      case Op.i64_le_u_c: { put<i32>(pc, fp, <i32>(left<u64>(pc, fp) <= <u64><i64>load<i32>(pc, 12))); pc += 16; break }
      case Op.i64_ge_s_c: { put<i32>(pc, fp, <i32>(left<i64>(pc, fp) >= <i64>load<i32>(pc, 12))); pc += 16; break }
      case Op.i64_ge_u_c: { put<i32>(pc, fp, <i32>(left<u64>(pc, fp) >= <u64><i64>load<i32>(pc, 12))); pc += 16; break }
      case Op.i64_div_u_c: { put<u64>(pc, fp, left<u64>(pc, fp) / <u64><i64>load<i32>(pc, 12)); pc += 16; break }
      case Op.i64_rem_u_c: { put<u64>(pc, fp, left<u64>(pc, fp) % <u64><i64>load<i32>(pc, 12)); pc += 16; break }
      default: {
        const code = word & 0xffff
        if (code >= <u32>Op.v128_load) pc = runVector(code, pc, fp)
        else {
          pc = runBulk(code, pc, fp)
          bound = machine.bound
        }
        if (pc == 0) return Status.trap
        break
      }
    }
  }
  return Status.done
}
