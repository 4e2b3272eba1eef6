import { type FrameVersion, frameVersions } from '../../../protocol/link/index.ts'
import type { Draws } from '../../harness/draws.ts'
import { cloneOf } from './clone.ts'
import { noFaults, type PlatformFaults } from './faults.ts'
import type { ObjectClass, ObjectContext } from './object-class.ts'
import { crashes, type Disk, ObjectStorage } from './object-storage.ts'
import { type Instance, isIdle, newPlace, type Place } from './place.ts'
import { type ClientSocket, joinSocket, type ServerSocket, type SocketClient } from './sockets.ts'
import type { VirtualTime } from './virtual-time.ts'

/** The platform tries a failing alarm this many times in all. */
const alarmTriesMax = 7
const firstAlarmPauseMs = 2_000
const lateMsMax = 120_000
/** How long a caller waits for the answer to a call that was lost. */
const lostMs = 5_000
/** How often an alarm looks whether its object may run again. */
const outageStepMs = 500
/** How long it takes until what was written is durable. */
const commitMsMax = 5
/** A socket that broke. */
const abnormal = 1006
/** How long a call takes one way. */
const callMs = { min: 1, max: 20 }

/** Durable Objects with their storage, alarms, sockets and calls, on virtual time. Their processes end when the plan says so. */
export class Platform {
  faults: PlatformFaults = noFaults
  /** The newest version of frames that the build of the hub knows. */
  frames: FrameVersion = frameVersions[0]
  /** Faults so far, by name. */
  readonly met = new Map<string, number>()
  readonly #time: VirtualTime
  readonly #draws: Draws
  readonly #classes: Readonly<Record<string, ObjectClass>>
  /** In the order in which they were named first. */
  readonly #places = new Set<Place>()
  readonly #byName = new Map<string, Map<string, Place>>()
  #process = 0
  #downUntilMs = 0

  constructor(time: VirtualTime, draws: Draws, classes: Readonly<Record<string, ObjectClass>>) {
    this.#time = time
    this.#draws = draws
    this.#classes = classes
  }

  /** A call from outside of all objects, such as a Worker's. */
  call(className: string, name: string, method: string, ...args: unknown[]): Promise<unknown> {
    return this.#call(null, className, name, method, args)
  }

  /** Whether a fault of this kind happens now. */
  isHit(name: keyof PlatformFaults): boolean {
    if (this.faults[name] === 0 || this.#draws.below(1000) >= this.faults[name]) return false
    this.note(name)
    return true
  }

  note(name: string): void {
    this.met.set(name, (this.met.get(name) ?? 0) + 1)
  }

  /** Ends every process at once, and begins none for a while. Sockets are closed with this code. */
  deploy(closeCode: number, downMs: number): void {
    this.#process += 1
    this.#downUntilMs = Math.max(this.#downUntilMs, this.#time.nowMs + downMs)
    for (const place of this.#places) this.#end(place, closeCode)
  }

  /** Ends the process of one object, or of all that a class has now, and begins none for a while. */
  takeDown(className: string, name: string | null, downMs: number): void {
    for (const place of this.#places) {
      if (place.className !== className || (name !== null && place.name !== name)) continue
      place.downUntilMs = Math.max(place.downUntilMs, this.#time.nowMs + downMs)
      this.#end(place, abnormal)
    }
  }

  /** Names of the objects of a class that have something stored. */
  stored(className: string): string[] {
    return [...this.#places]
      .filter((place) => place.className === className && !place.disk.isEmpty)
      .map(({ name }) => name)
  }

  /** Objects of a class that have nothing stored and nothing to do leave the memory, as the platform drops them. */
  dropEmpty(className: string): void {
    for (const place of this.#places) {
      if (place.className !== className || !isIdle(place) || this.#isDown(place)) continue
      this.#kill(place)
      this.#places.delete(place)
      this.#byName.get(className)?.delete(place.name)
    }
  }

  /** Ends all processes, and frees what they stored. */
  close(): void {
    for (const place of this.#places) {
      this.#kill(place)
      place.disk.clear()
    }
  }

  diskOf(className: string, name: string): Disk {
    return this.#place(className, name).disk
  }

  /** Opens a socket to an object; the status where that refuses it, null while its hub is gone, or where its process ends meanwhile. */
  async connect(
    className: string,
    name: string,
    client: SocketClient,
    urlOf: (name: string) => string,
  ): Promise<ClientSocket | number | null> {
    await this.#time.wait(this.#latencyMs())
    const place = this.#place(className, name)
    if (this.#isDown(place)) return null
    const instance = this.#started(place)
    const request = new Request(urlOf(name))
    const answer = (await this.#within(instance, () => instance.object.fetch!(request)).catch(
      (error: unknown) => this.#failed(error),
    )) as { status: number; webSocket: unknown } | null
    if (answer === null) return null
    if (answer.status !== 101) return answer.status
    const socket = [...place.sockets].at(-1)
    return socket === undefined ? null : this.#join(place, socket, client)
  }

  #join(place: Place, socket: ServerSocket, client: SocketClient): ClientSocket {
    return joinSocket(socket, client, {
      line: () => this.#line(),
      say: (send) => this.#say(place, send),
      message: (text) => void this.#event(place, (object) => object.webSocketMessage!(socket, text)),
      pinged: () => {
        socket.pingedAt = new Date(this.#time.nowMs)
      },
      closed: (code) => this.#closed(place, socket, code),
    })
  }

  #closed(place: Place, socket: ServerSocket, code: number): void {
    if (!place.sockets.has(socket)) return
    socket.readyState = WebSocket.CLOSED
    place.sockets.delete(socket)
    void this.#event(place, (object) => object.webSocketClose!(socket, code))
  }

  /** The hub's side vanishes, and its object is told nothing. */
  #drop(place: Place, socket: ServerSocket, code: number): void {
    place.sockets.delete(socket)
    socket.close(code)
  }

  #call(
    caller: Instance | null,
    className: string,
    name: string,
    method: string,
    args: readonly unknown[],
  ): Promise<unknown> {
    const given = cloneOf(args)
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    const settle = (ms: number, how: () => void) =>
      void this.#time.after(ms, () => {
        if (caller?.isAlive !== false) how()
      })
    const lost = () => settle(lostMs, () => reject(new Error(`no answer from ${className} ${name}`)))
    const go = () =>
      this.#time.after(this.#latencyMs(), async () => {
        const place = this.#place(className, name)
        if (this.#isDown(place) || this.isHit('callLost')) return lost()
        const instance = this.#started(place)
        try {
          const answer = cloneOf(await this.#within(instance, () => instance.object[method]!(...given)))
          if (this.isHit('answerLost')) return lost()
          settle(this.#latencyMs(), () => resolve(answer))
        } catch (error) {
          settle(this.#latencyMs(), () => reject(error))
        }
        this.#maybeEvict(className, name)
      })
    if (caller === null) go()
    else this.#sayBy(caller, go)
    return promise
  }

  /** Runs an event of an object. @throws When its process ends meanwhile. */
  async #within<T>(instance: Instance, run: () => Promise<T>): Promise<T> {
    const { promise, reject } = Promise.withResolvers<never>()
    const mourn = () => reject(new Error('the process of the object ended'))
    instance.mourners.add(mourn)
    try {
      const answered = run().then(async (result) => {
        await this.#durable(instance)
        return result
      })
      return await Promise.race([answered, promise])
    } finally {
      instance.mourners.delete(mourn)
    }
  }

  /** Nothing is answered before what was written is durable. */
  #durable(instance: Instance): Promise<void> {
    if (!instance.isAlive) throw new Error('the process of the object ended')
    if (!instance.storage.isDirty) return Promise.resolve()
    const { promise, resolve } = Promise.withResolvers<void>()
    instance.held.push(resolve)
    return promise
  }

  #isDown({ downUntilMs }: Place): boolean {
    return this.#time.nowMs < Math.max(downUntilMs, this.#downUntilMs)
  }

  async #event(place: Place, run: (object: Instance['object']) => Promise<unknown>): Promise<void> {
    if (this.#isDown(place)) return
    const instance = this.#started(place)
    await this.#within(instance, () => run(instance.object)).catch((error: unknown) => this.#failed(error))
    this.#maybeEvict(place.className, place.name)
  }

  /** Errors of events go nowhere on the platform either; they are kept to explain a difference. */
  readonly errors: string[] = []
  #failed(error: unknown): null {
    this.errors.push(error instanceof Error ? String(error.stack) : String(error))
    return null
  }

  #maybeEvict(className: string, name: string): void {
    const place = this.#place(className, name)
    // Only an object at which nothing happens leaves the memory; its sockets stay.
    if (place.instance?.mourners.size === 0 && this.isHit('evicted')) this.#kill(place)
  }

  #say(place: Place, send: () => void): void {
    if (place.instance === null) send()
    else this.#sayBy(place.instance, send)
  }

  #sayBy(instance: Instance, send: () => void): void {
    if (!instance.isAlive) return
    if (instance.storage.isDirty) instance.held.push(send)
    else send()
  }

  #outside<T>(instance: Instance, call: (isAlive: () => boolean) => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#sayBy(instance, () => {
        call(() => instance.isAlive).then(
          (value) => instance.isAlive && resolve(value),
          (error: unknown) => instance.isAlive && reject(error),
        )
      })
    })
  }

  #place(className: string, name: string): Place {
    const known = this.#byName.get(className)?.get(name)
    if (known !== undefined) return known
    const place = newPlace(className, name)
    this.#places.add(place)
    this.#byName.set(className, (this.#byName.get(className) ?? new Map()).set(name, place))
    return place
  }

  #started(place: Place): Instance {
    if (place.instance !== null) return place.instance
    const instance: Instance = {
      object: {},
      isAlive: true,
      mourners: new Set(),
      held: [],
      storage: new ObjectStorage(place.disk, {
        isAlive: () => instance.isAlive,
        crashAtCommit: () => {
          if (!this.isHit('crash')) return null
          return this.#draws.pick(crashes)
        },
        crash: () => {
          // The object alone may end, or all of its isolate.
          if (this.#draws.percent(50)) this.#process += 1
          this.#end(place, abnormal)
        },
        later: (run) => void this.#time.after(1 + this.#draws.below(commitMsMax), run),
        committed: () => this.#setAlarm(place),
        release: () => {
          for (const say of instance.held.splice(0)) say()
        },
      }),
    }
    place.instance = instance
    const context: ObjectContext = {
      processId: String(this.#process),
      outside: (call) => this.#outside(instance, call),
      object: (className, name) => {
        const method = (_: object, key: string | symbol) =>
          // A stub is not a promise, though it has a method of every name.
          key === 'then'
            ? undefined
            : (...args: unknown[]) => this.#call(instance, className, name, String(key), args)
        return new Proxy({}, { get: method }) as never
      },
    }
    const state = {
      storage: instance.storage,
      acceptWebSocket: (socket: ServerSocket, tags: string[]) => {
        socket.tags.push(...tags)
        place.sockets.add(socket)
      },
      getWebSockets: (tag?: string) =>
        [...place.sockets].filter(({ tags }) => tag === undefined || tags.includes(tag)),
      getTags: ({ tags }: ServerSocket) => tags,
      setWebSocketAutoResponse: () => {},
      getWebSocketAutoResponseTimestamp: ({ pingedAt }: ServerSocket) => pingedAt,
    } as unknown as DurableObjectState
    const made = this.#classes[place.className]!(state, place.name, context)
    Object.assign(instance, { object: made })
    return instance
  }

  /** Its process ends, and its sockets with it. */
  #end(place: Place, closeCode: number): void {
    this.#kill(place)
    for (const socket of place.sockets) this.#drop(place, socket, closeCode)
  }

  #kill(place: Place): void {
    const { instance } = place
    if (instance === null) return
    place.instance = null
    instance.isAlive = false
    instance.held = []
    instance.storage.abandon()
    for (const mourn of instance.mourners) mourn()
  }

  #setAlarm(place: Place): void {
    const atMs = place.disk.alarmMs
    if (atMs === place.alarmMs) return
    place.alarmMs = atMs
    if (atMs === null) return
    const lateMs = this.isHit('alarmLate') ? this.#draws.below(lateMsMax) : this.#draws.below(5)
    this.#time.after(atMs - this.#time.nowMs + lateMs, () => {
      if (place.alarmMs !== atMs) return
      place.alarmMs = null
      place.disk.alarmMs = null
      place.ringing = place.ringing.then(() => this.#ring(place, atMs, 1))
    })
  }

  /** Runs an alarm, and again where it fails, as long as the platform does. */
  async #ring(place: Place, scheduledTime: number, tries: number): Promise<void> {
    while (this.#isDown(place)) await this.#time.wait(outageStepMs)
    const instance = this.#started(place)
    const info = { scheduledTime, retryCount: tries - 1, isRetry: tries > 1 }
    try {
      await this.#within(instance, () => instance.object.alarm!(info))
      if (tries === 1 && this.isHit('alarmTwice')) await this.#ring(place, scheduledTime, 2)
    } catch (error) {
      this.#failed(error)
      if (tries < alarmTriesMax && place.alarmMs === null)
        this.#time.after(firstAlarmPauseMs * 2 ** (tries - 1), () => {
          if (place.alarmMs === null)
            place.ringing = place.ringing.then(() => this.#ring(place, scheduledTime, tries + 1))
        })
    }
    this.#maybeEvict(place.className, place.name)
  }

  #latencyMs(): number {
    return callMs.min + this.#draws.below(callMs.max - callMs.min)
  }

  /** Delivers in order, each after some milliseconds. */
  #line(): (deliver: () => void) => void {
    let lastMs = 0
    return (deliver) => {
      lastMs = Math.max(lastMs, this.#time.nowMs + this.#latencyMs())
      this.#time.after(lastMs - this.#time.nowMs, deliver)
    }
  }
}
