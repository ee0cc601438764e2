"""What a broker says of a topic in its own log, where nothing else can be seen of it."""

from highwater.harness.play import Play


def says(play: Play, broker: int, topic: str, words: str) -> bool:
    """Whether a line of it names the topic and has these words."""
    log = play.cluster.files.server_log(broker)
    with log.open(encoding="utf-8", errors="replace") as lines:
        return any(topic in line and words in line for line in lines)
