/** The store of a cluster in SQLite or PostgreSQL. Run it on the class path. */
module dev.ropewalk.actors.cluster.jdbc {
    requires transitive dev.ropewalk.actors.cluster;
    requires com.zaxxer.hikari;
    requires java.sql;
    requires static transitive org.jspecify;

    exports dev.ropewalk.actors.cluster.jdbc;
}
