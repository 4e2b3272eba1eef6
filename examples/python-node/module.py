"""Reads a module, and turns its functions into code for the interpreter."""

from operators import HEIGHTS, LOADS, M32, M64, STACK_UNITS, STORES, Unsupported


class Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def byte(self):
        self.at += 1
        return self.data[self.at - 1]

    def leb128(self):
        """The bits of a number, how many there are, and whether the last one is set."""
        result = shift = 0
        while True:
            byte = self.byte()
            result |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return result, shift, byte & 64 != 0

    def u(self):
        return self.leb128()[0]

    def s(self):
        result, shift, is_negative = self.leb128()
        return result - (1 << shift) if is_negative else result

    def take(self, count):
        self.at += count
        return self.data[self.at - count : self.at]

    def name(self):
        return self.take(self.u()).decode()

    def list(self, read):
        return [read() for _ in range(self.u())]


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
        # Units of the logical stack: docs/node-protocol.md, "Gas".
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
