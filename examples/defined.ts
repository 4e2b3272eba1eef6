// The other dialect: handlers that the module defines, and names that need no import.

function visit(who: string): string {
  if (who.length == 0) hive.fail("nobody visits");
  const before = storage.get(who);
  const visits = (before.length == 0 ? 0 : I32.parseInt(before)) + 1;
  storage.set(who, visits.toString());
  hive.emit("visited", '{"visits":' + visits.toString() + "}");
  return visits.toString();
}

hive.define("visit", visit);
hive.define("forget", (who: string): string => {
  storage.del(who);
  return "";
});
