"""A small interpreter of WebAssembly with the gas of this network: integers, memory, tables, calls.

Floating point, SIMD, tail calls and references are left out: `Module` raises Unsupported for a module that uses them. It takes
modules that a hub has accepted, and does not validate them again.
"""

from operators import LOADS, M32, NUMERIC, PAGE, PAGES_MAX, STACK_UNITS, STORES, OutOfGas, Trap

# docs/node-protocol.md, "Gas": entering a function costs 1, then 8 more; leaving it costs 4.
ENTRY, PROLOGUE, EPILOGUE = 1, 8, 4


class Instance:
    """A module with its memory, and the gas of one run. `host` has a function for each import: (instance, *values) -> value."""

    def __init__(self, module, gas_limit, host):
        self.module, self.gas_limit, self.host = module, gas_limit, host
        self.saved, self.stack_left = 0, STACK_UNITS
        low, self.pages_declared = module.memory
        if low > PAGES_MAX:
            raise Trap("memory too large")
        self.pages_max = min(PAGES_MAX, PAGES_MAX if self.pages_declared is None else self.pages_declared)
        self.memory = bytearray(low * PAGE)
        self.globals = list(module.globals)
        self.table = [None] * (module.tables[0][0] if module.tables else 0)
        for offset, functions in module.elements:
            if offset + len(functions) > len(self.table):
                raise Trap("an element segment out of bounds")
            self.table[offset : offset + len(functions)] = functions
        for offset, data in module.data:
            if offset + len(data) > len(self.memory):
                raise Trap("a data segment out of bounds")
            self.memory[offset : offset + len(data)] = data

    @property
    def gas_used(self):
        return min(self.saved, self.gas_limit)

    def charge(self, cost):
        """What a host function costs, before it does anything."""
        if self.gas_limit - self.gas_used < cost:
            raise OutOfGas
        self.saved += cost

    def export(self, name, *values):
        return self.call(self.module.exports[name][1], list(values))

    def call(self, index, values):
        """Returns the list of results."""
        imported = len(self.module.imports)
        if index < imported:
            value = self.host[self.module.imports[index]](self, *values)
            return [] if value is None else [value]
        return self.run(self.module.functions[index - imported], values)

    def bounds(self, address, count):
        if address + count > len(self.memory):
            raise Trap("memory access out of bounds")

    def run(self, function, values):
        gas = self.saved + ENTRY
        if gas >= self.gas_limit:
            raise OutOfGas
        gas += PROLOGUE
        self.stack_left -= function.units
        if self.stack_left < 0:
            self.saved = gas
            raise Trap("stack limit exceeded")
        memory, code, pc, stack = self.memory, function.code, 0, []
        local = values + [0] * function.locals
        push, pop, end = stack.append, stack.pop, len(function.code)
        while pc < end:
            op, argument = code[pc]
            pc += 1
            jump = None
            if op in NUMERIC:
                gas += 1
                count, operate = NUMERIC[op]
                if count == 1:
                    stack[-1] = operate(stack[-1])
                else:
                    other = pop()
                    stack[-1] = operate(stack[-1], other)
            elif op == 0x20:
                gas += 1
                push(local[argument])
            elif op == 0x21:
                gas += 1
                local[argument] = pop()
            elif op == 0x22:
                gas += 1
                local[argument] = stack[-1]
            elif op == 0x41 or op == 0x42:
                gas += 1
                push(argument)
            elif op in LOADS or op in STORES:
                gas += 1
                size = STORES[op] if op in STORES else LOADS[op][0]
                limit = 1 << 32 if self.pages_declared is None else self.pages_declared * PAGE
                if argument + size > limit:
                    self.saved = gas
                    raise Trap("memory access out of bounds")
                value = pop() if op in STORES else None
                address = pop() + argument
                if address + size > len(memory):
                    raise Trap("memory access out of bounds")
                if op in STORES:
                    memory[address : address + size] = (value & ((1 << 8 * size) - 1)).to_bytes(size, "little")
                else:
                    _, signed, mask = LOADS[op]
                    push(int.from_bytes(memory[address : address + size], "little", signed=signed) & mask)
            elif op == 0x03:
                if gas >= self.gas_limit:
                    raise OutOfGas
            elif op == 0x04:
                gas += 1
                if not pop():
                    pc = argument[0]
            elif op == 0x05:
                pc = argument[0]
            elif op == 0x0C:
                gas += 1
                jump = argument
            elif op == 0x0D:
                gas += 1
                jump = argument if pop() else None
            elif op == 0x0E:
                gas += 1
                jump = argument[min(pop(), len(argument) - 1)]
            elif op == 0x10 or op == 0x11:
                gas += 1
                self.saved = gas
                index = argument[0] if op == 0x10 else self.indirect(pop(), argument[0])
                count = argument[1]
                given = stack[len(stack) - count :]
                del stack[len(stack) - count :]
                stack += self.call(index, given)
                gas, memory = self.saved, self.memory
            elif op == 0x0F:
                break
            elif op == 0x00:
                self.saved = gas
                raise Trap("unreachable")
            elif op == 0x1A:
                pop()
            elif op == 0x1B:
                gas += 1
                condition, other = pop(), pop()
                if not condition:
                    stack[-1] = other
            elif op == 0x23:
                gas += 1
                push(self.globals[argument])
            elif op == 0x24:
                gas += 1
                self.globals[argument] = pop()
            elif op == 0x3F:
                gas += 1
                push(len(memory) // PAGE)
            elif op == 0x40:
                gas += 1
                pages = len(memory) // PAGE
                more = pop()
                push(pages if pages + more <= self.pages_max else M32)
                if pages + more <= self.pages_max:
                    memory += bytes(more * PAGE)
            elif op == 0xFC0A or op == 0xFC0B:
                gas += 1
                count, source, target = pop(), pop(), pop()
                self.bounds(target, count)
                if op == 0xFC0A:
                    self.bounds(source, count)
                    memory[target : target + count] = memory[source : source + count]
                else:
                    memory[target : target + count] = bytes([source & 255]) * count
            if jump is not None:
                pc, kept, height = jump
                if len(stack) > height + kept:
                    del stack[height : len(stack) - kept]
        self.stack_left += function.units
        self.saved = gas + EPILOGUE
        return stack[len(stack) - function.results :] if function.results else []

    def indirect(self, at, kind):
        index = self.table[at] if at < len(self.table) else None
        types = self.module.types
        if index is None or types[self.module.type_of[index]] != types[kind]:
            raise Trap("indirect call")
        return index
