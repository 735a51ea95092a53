import type { IndexDatabase } from "./index-database.ts";

/** What an entry is, apart from its payload: a row of the dictionary `kind`. */
export interface Kind {
  readonly type: string;
  readonly role: string | null;
  readonly customType: string | null;
  /** Name of the tool of a tool result. */
  readonly tool: string | null;
}

const SELECT = "SELECT id, type, role, custom_type, tool FROM kind";

/** The dictionary of kinds; rows are never changed, so what was read stays true. */
export class Kinds {
  readonly #database: IndexDatabase;
  readonly #byId = new Map<number, Kind>();
  #ids = new Map<string, number>();

  constructor(database: IndexDatabase) {
    this.#database = database;
  }

  /** The kind with this id. */
  get(id: number): Kind {
    const known = this.#byId.get(id);
    if (known !== undefined) return known;
    const row = this.#database.row(`${SELECT} WHERE id = ?`, id) as unknown as KindRow;
    const [, type, role, customType, tool] = row;
    const kind = { type, role, customType, tool };
    this.#byId.set(id, kind);
    return kind;
  }

  /** The id of a kind, made where there is none; inside a transaction only. */
  idOf(kind: Kind): number {
    const { type, role, customType, tool } = kind;
    const name = `${type}\n${role ?? ""}\n${customType ?? ""}\n${tool ?? ""}`;
    const known = this.#ids.get(name);
    if (known !== undefined) return known;
    const id = this.#find(kind) ?? this.#make(kind);
    this.#ids.set(name, id);
    return id;
  }

  /** Forgets ids that a transaction made which was taken back. */
  forget(): void {
    this.#ids = new Map();
    this.#byId.clear();
  }

  #find({ type, role, customType, tool }: Kind): number | undefined {
    const where = "WHERE type = ? AND role IS ? AND custom_type IS ? AND tool IS ?";
    const row = this.#database.row(`${SELECT} ${where}`, type, role, customType, tool);
    return row === undefined ? undefined : Number(row[0]);
  }

  #make({ type, role, customType, tool }: Kind): number {
    const sql = "INSERT INTO kind (type, role, custom_type, tool) VALUES (?, ?, ?, ?)";
    const made = this.#database.statement(sql).run(type, role, customType, tool);
    return Number(made.lastInsertRowid);
  }
}

type KindRow = readonly [number, string, string | null, string | null, string | null];
