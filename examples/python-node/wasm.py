"""A small interpreter of WebAssembly with the gas of this network: integers, memory, tables, calls.

Floating point, SIMD, tail calls and references are left out: `Module` raises Unsupported for what uses them. It takes
modules that a hub has accepted, and does not validate them again.
"""

PAGE = 65536
PAGES_MAX = 1024
STACK_UNITS = 65536
M32, M64 = 0xFFFFFFFF, 0xFFFFFFFFFFFFFFFF


class Unsupported(Exception):
    """The module needs what this interpreter does not have."""


class Trap(Exception):
    """The run failed; the text says why."""


class OutOfGas(Exception):
    pass


def s32(value):
    return value - (1 << 32) if value >> 31 else value


def s64(value):
    return value - (1 << 64) if value >> 63 else value


class Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def byte(self):
        self.at += 1
        return self.data[self.at - 1]

    def u(self):
        result = shift = 0
        while True:
            byte = self.byte()
            result |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return result

    def s(self):
        result = shift = 0
        while True:
            byte = self.byte()
            result |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return result - (1 << shift) if byte & 64 else result

    def take(self, count):
        self.at += count
        return self.data[self.at - count : self.at]

    def name(self):
        return self.take(self.u()).decode()

    def list(self, read):
        return [read() for _ in range(self.u())]


def divided(signed, bits):
    def divide(a, b):
        if b == 0:
            raise Trap("integer divide by zero")
        a, b = signed(a), signed(b)
        quotient = abs(a) // abs(b)
        quotient = -quotient if (a < 0) != (b < 0) else quotient
        if quotient == 1 << (bits - 1):
            raise Trap("integer overflow")
        return quotient

    return divide


def rest(signed):
    def remainder(a, b):
        if b == 0:
            raise Trap("integer divide by zero")
        a, b = signed(a), signed(b)
        return -(abs(a) % abs(b)) if a < 0 else a % abs(b)

    return remainder


def unsigned(operate):
    def checked(a, b):
        if b == 0:
            raise Trap("integer divide by zero")
        return operate(a, b)

    return checked


def integer_operators(first_test, first_count, bits):
    """Comparisons and arithmetic of one width, by opcode: (number of operands, function)."""
    mask = (1 << bits) - 1
    sign = s32 if bits == 32 else s64
    turn = bits - 1
    compare = [
        lambda a, b: a == b,
        lambda a, b: a != b,
        lambda a, b: sign(a) < sign(b),
        lambda a, b: a < b,
        lambda a, b: sign(a) > sign(b),
        lambda a, b: a > b,
        lambda a, b: sign(a) <= sign(b),
        lambda a, b: a <= b,
        lambda a, b: sign(a) >= sign(b),
        lambda a, b: a >= b,
    ]
    count = [
        lambda a: bits - a.bit_length(),
        lambda a: bits if a == 0 else (a & -a).bit_length() - 1,
        lambda a: a.bit_count(),
    ]
    arithmetic = [
        lambda a, b: a + b,
        lambda a, b: a - b,
        lambda a, b: a * b,
        divided(sign, bits),
        unsigned(lambda a, b: a // b),
        rest(sign),
        unsigned(lambda a, b: a % b),
        lambda a, b: a & b,
        lambda a, b: a | b,
        lambda a, b: a ^ b,
        lambda a, b: a << (b & turn),
        lambda a, b: sign(a) >> (b & turn),
        lambda a, b: a >> (b & turn),
        lambda a, b: a << (b & turn) | a >> (bits - (b & turn)),
        lambda a, b: a >> (b & turn) | a << (bits - (b & turn)),
    ]
    table = {first_test: (1, lambda a: int(a == 0))}
    for i, operate in enumerate(compare):
        table[first_test + 1 + i] = (2, lambda a, b, f=operate: int(f(a, b)))
    for i, operate in enumerate(count):
        table[first_count + i] = (1, operate)
    for i, operate in enumerate(arithmetic):
        table[first_count + 3 + i] = (2, lambda a, b, f=operate: f(a, b) & mask)
    return table


def extended(bits, mask):
    return lambda a: ((a & ((1 << bits) - 1)) ^ (1 << (bits - 1))) - (1 << (bits - 1)) & mask


NUMERIC = {
    **integer_operators(0x45, 0x67, 32),
    **integer_operators(0x50, 0x79, 64),
    0xA7: (1, lambda a: a & M32),
    0xAC: (1, extended(32, M64)),
    0xAD: (1, lambda a: a),
    0xC0: (1, extended(8, M32)),
    0xC1: (1, extended(16, M32)),
    0xC2: (1, extended(8, M64)),
    0xC3: (1, extended(16, M64)),
    0xC4: (1, extended(32, M64)),
}
# Bytes, whether they are read with a sign, and the mask of the result.
LOADS = {
    0x28: (4, False, M32), 0x29: (8, False, M64), 0x2C: (1, True, M32), 0x2D: (1, False, M32),
    0x2E: (2, True, M32), 0x2F: (2, False, M32), 0x30: (1, True, M64), 0x31: (1, False, M64),
    0x32: (2, True, M64), 0x33: (2, False, M64), 0x34: (4, True, M64), 0x35: (4, False, M64),
}  # fmt: skip
STORES = {0x36: 4, 0x37: 8, 0x3A: 1, 0x3B: 2, 0x3C: 1, 0x3D: 2, 0x3E: 4}
# How many values operators take from the operand stack and leave on it; operators of control flow are not included.
HEIGHTS = {
    0x1A: (1, 0), 0x1B: (3, 1), 0x20: (0, 1), 0x21: (1, 0), 0x22: (1, 1), 0x23: (0, 1), 0x24: (1, 0),
    0x3F: (0, 1), 0x40: (1, 1), 0x41: (0, 1), 0x42: (0, 1), 0x01: (0, 0), 0xFC0A: (3, 0), 0xFC0B: (3, 0),
    **{op: (count, 1) for op, (count, _) in NUMERIC.items()},
    **{op: (1, 1) for op in LOADS},
    **{op: (2, 0) for op in STORES},
}  # fmt: skip


class Module:
    def __init__(self, wasm):
        if wasm[:8] != b"\0asm\1\0\0\0":
            raise Unsupported("not a module of version 1")
        self.types, self.imports, self.type_of, self.tables, self.memory = [], [], [], [], None
        self.globals, self.exports, self.start, self.elements, self.functions, self.data = [], {}, None, [], [], []
        whole = Reader(wasm[8:])
        while whole.at < len(whole.data):
            section = whole.byte()
            reader = Reader(whole.take(whole.u()))
            read = getattr(self, f"section_{section}", None)
            if read is not None:
                read(reader)

    def section_1(self, reader):
        def one():
            if reader.byte() != 0x60:
                raise Unsupported("a type that is not of a function")
            params, results = reader.list(reader.byte), reader.list(reader.byte)
            if any(kind not in (0x7F, 0x7E) for kind in params + results):
                raise Unsupported("values that are not integers")
            return len(params), len(results), tuple(params), tuple(results)

        self.types = reader.list(one)

    def section_2(self, reader):
        def one():
            name = f"{reader.name()}.{reader.name()}"
            if reader.byte() != 0:
                raise Unsupported("an import that is not a function")
            self.type_of.append(reader.u())
            return name

        self.imports = reader.list(one)

    def section_3(self, reader):
        self.type_of += reader.list(reader.u)

    def limits(self, reader):
        flags = reader.byte()
        return reader.u(), reader.u() if flags & 1 else None

    def section_4(self, reader):
        def one():
            if reader.byte() != 0x70:
                raise Unsupported("a table of other references than functions")
            return self.limits(reader)

        self.tables = reader.list(one)

    def section_5(self, reader):
        self.memory = reader.list(lambda: self.limits(reader))[0]

    def constant(self, reader):
        op = reader.byte()
        if op not in (0x41, 0x42):
            raise Unsupported("a constant expression beyond one integer")
        value = reader.s() & (M32 if op == 0x41 else M64)
        if reader.byte() != 0x0B:
            raise Unsupported("a constant expression beyond one integer")
        return value

    def section_6(self, reader):
        def one():
            if reader.byte() not in (0x7F, 0x7E):
                raise Unsupported("a global that is not an integer")
            reader.byte()
            return self.constant(reader)

        self.globals = reader.list(one)

    def section_7(self, reader):
        for _ in range(reader.u()):
            name, kind = reader.name(), reader.byte()
            self.exports[name] = (kind, reader.u())

    def section_8(self, reader):
        self.start = reader.u()

    def section_9(self, reader):
        def one():
            if reader.u() != 0:
                raise Unsupported("an element segment that is not active")
            return self.constant(reader), reader.list(reader.u)

        self.elements = reader.list(one)

    def section_10(self, reader):
        bodies = reader.list(lambda: Reader(reader.take(reader.u())))
        first = len(self.imports)
        self.functions = [Function(self, self.types[self.type_of[first + i]], body) for i, body in enumerate(bodies)]

    def section_11(self, reader):
        def one():
            if reader.u() != 0:
                raise Unsupported("a data segment that is not active")
            return self.constant(reader), reader.take(reader.u())

        self.data = reader.list(one)


class Block:
    """What is open while a body is read: branches to it are mended at its end."""

    def __init__(self, op, takes, gives, base, at):
        self.op, self.takes, self.gives, self.base, self.at = op, takes, gives, base, at
        self.is_dead, self.branches, self.otherwise = False, [], None


class Function:
    """Code as a list of (opcode, argument); branches are [where to, how many values go along, height below them]."""

    def __init__(self, module, kind, reader):
        self.params, self.results = kind[0], kind[1]
        self.locals = 0
        for _ in range(reader.u()):
            self.locals += reader.u()
            if reader.byte() not in (0x7F, 0x7E):
                raise Unsupported("a local that is not an integer")
        self.code = []
        self.read(module, reader)
        # Section 7 of the page about artifacts: units of the logical stack.
        self.units = min(STACK_UNITS + 1, 4 + self.params + self.locals + self.highest)

    def block_type(self, module, reader):
        kind = reader.s()
        if kind >= 0:
            return module.types[kind][:2]
        if kind not in (-1, -2, -64):
            raise Unsupported("a block whose value is not an integer")
        return 0, 0 if kind == -64 else 1

    def read(self, module, reader):
        self.height = self.highest = 0
        blocks = [Block(None, 0, self.results, 0, 0)]
        code = self.code

        def change(takes, gives):
            # In code that cannot be reached, missing values count as present.
            self.height = max(blocks[-1].base, self.height - takes) + gives
            self.highest = max(self.highest, self.height)

        def die():
            blocks[-1].is_dead = True
            self.height = blocks[-1].base

        def branch(depth):
            target = blocks[-1 - depth]
            count = target.takes if target.op == 0x03 else target.gives
            jump = [target.at, count, target.base]
            if target.op != 0x03:
                target.branches.append(jump)
            return jump

        while blocks:
            op = reader.byte()
            if op == 0xFC:
                op = 0xFC00 | reader.u()
            argument = None
            if op in (0x02, 0x03, 0x04):
                takes, gives = self.block_type(module, reader)
                if op == 0x04:
                    change(1, 0)
                change(takes, 0)
                block = Block(op, takes, gives, self.height, len(code))
                if op == 0x04:
                    block.otherwise = argument = [None]
                blocks.append(block)
                change(0, takes)
                if op == 0x02:
                    continue
            elif op == 0x05:
                block = blocks[-1]
                argument = [None]
                block.branches.append(argument)
                block.otherwise[0] = len(code) + 1
                block.otherwise, block.is_dead, self.height = None, False, block.base
                change(0, block.takes)
            elif op == 0x0B:
                block = blocks.pop()
                for jump in block.branches + ([block.otherwise] if block.otherwise else []):
                    jump[0] = len(code)
                self.height = block.base + block.gives
                self.highest = max(self.highest, self.height)
                continue
            elif op == 0x00:
                die()
            elif op in (0x0C, 0x0D):
                if op == 0x0D:
                    change(1, 0)
                argument = branch(reader.u())
                if op == 0x0C:
                    die()
                else:
                    change(argument[1], argument[1])
            elif op == 0x0E:
                change(1, 0)
                argument = [branch(depth) for depth in reader.list(reader.u)]
                argument.append(branch(reader.u()))
                die()
            elif op == 0x0F:
                die()
            elif op in (0x10, 0x11):
                index = reader.u()
                kind = module.types[index if op == 0x11 else module.type_of[index]]
                argument = (index, kind[0], reader.u()) if op == 0x11 else (index, kind[0])
                change(kind[0] + (op == 0x11), kind[1])
            elif op in HEIGHTS:
                if op in LOADS or op in STORES:
                    reader.u()
                    argument = reader.u()
                elif op in (0x20, 0x21, 0x22, 0x23, 0x24):
                    argument = reader.u()
                elif op in (0x41, 0x42):
                    argument = reader.s() & (M32 if op == 0x41 else M64)
                elif op in (0x3F, 0x40, 0xFC0B):
                    reader.byte()
                elif op == 0xFC0A:
                    reader.take(2)
                takes, gives = HEIGHTS[op]
                change(takes, gives)
            else:
                raise Unsupported(f"the operator {op:#x}")
            code.append((op, argument))


# The wrapper of section 7 costs 8 at the entry of a function and 4 at its exit; the entry itself costs 1.
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
